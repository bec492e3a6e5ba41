"""Attacks of one client on everybody else, on a file and on a PostgreSQL database."""

import os

from deep.attack import attacks
from harness.installation import engine


def check(part, chance):
    former, seen = os.environ.get(engine.VARIABLE), []
    for name in [former] if former else engine.NAMES:
        os.environ[engine.VARIABLE] = name
        try:
            for attack in attacks.ALL:
                seen.append(f"{name}: {attack(part, chance)}")
                print(f"  {seen[-1]}", flush=True)
        finally:
            os.environ.pop(engine.VARIABLE)
            if former:
                os.environ[engine.VARIABLE] = former
    return "; ".join(seen)
