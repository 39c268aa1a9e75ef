"""The handbook: the site made from docs/, its notebooks, reference and gallery, and the runner of every block in it.

python -m handbook --out out/site         make the site; whatever is wrong with it ends with exit code 1
python -m handbook.running docs/faq.md    run the blocks of a page and compare what they print
python -m handbook.picture                draw the moving picture of the first page again
"""
