"""``python -m gough.reproduce.codes [work ...]``: what was found in public codes; needs no network."""

from __future__ import annotations

import sys

from gough.reproduce.codes import check_codes

if __name__ == "__main__":
    chosen = sys.argv[1:]
    for work in check_codes().works:
        if chosen and work.key not in chosen:
            continue
        print(f"\n{work.key}: {work.name}\n  {work.source}")
        for claim in work.claims:
            print(
                f"  {claim.verdict}: {claim.statement}\n    {claim.as_printed}\n    {claim.exact}"
            )
