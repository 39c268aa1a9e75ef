"""Messages drawn from their declarations, to one session each few: is every answer an answer or a sentence?

    PYTHONPATH=src:tests python -m campaigns.studio_fuzz --count 5000 --seed 1

Prints every message that the studio calls its own mistake; exit code 1 where there is one.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

from gough.studio import messages as m
from gough.studio import wire
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder
from support.studio_messages import Maker

WAY = "[trajectory]\nkind = 'hold'\nduration = 1.0\nposition = [0, 0, 1]\n"


def furnished(root: Path) -> WorkFolder:
    """A work folder with a machine, a trajectory, a table and telemetry."""
    from gough.model.files import dumps, load

    (root / "mine.toml").write_text(dumps(load("octahedral-33")), encoding="utf-8")
    (root / "way.toml").write_text(WAY, encoding="utf-8")
    (root / "way.csv").write_text("t,x,y,z,roll,pitch,yaw\n0,0,0,1,0,0,0\n1,0,0,1.1,0,0,0\n")
    (root / "drive.csv").write_text("time,fx,fy,fz\n0,0,0,9.8\n0.1,1,0,9.8\n0.2,0,1,9.8\n")
    return WorkFolder(root)


def said(session: Session, text: str) -> str:
    """The kind of answer to a message: its type, `message` where it was not understood, `fault` for our mistake."""
    try:
        answer = session.handle(wire.decode(text))
        sent = wire.encode(answer)
    except wire.MessageError:
        return "message"
    except Exception:
        traceback.print_exc(limit=-4)
        return "fault"
    assert sent
    return f"Failure {answer.kind}" if isinstance(answer, m.Failure) else type(answer).__name__


def play(
    seed: int, count: int, folder: WorkFolder, each: int = 12
) -> tuple[collections.Counter[str], list[str]]:
    """Kinds of answers and the messages that were our mistake; a new session every `each` messages."""
    maker, found, faults = Maker(seed), collections.Counter[str](), list[str]()
    session = Session(folder)
    for i in range(count):
        if i % each == 0:
            session = Session(folder)
            session.handle(m.OpenMachine(1, "start"))
        text = json.dumps(maker.message())
        began = time.monotonic()
        kind = said(session, text)
        if time.monotonic() - began > 10.0:
            sys.stdout.write(f"{time.monotonic() - began:.0f} s: {text[:300]}\n")
        found[kind] += 1
        if kind == "fault":
            faults.append(text)
    return found, faults


def main() -> int:
    """Play and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        found, faults = play(options.seed, options.count, furnished(Path(root)))
    for text in faults:
        sys.stdout.write(f"MISTAKE: {text[:1500]}\n")
    sys.stdout.write(
        f"{options.count} messages, seed {options.seed}: {dict(found.most_common())}\n"
    )
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
