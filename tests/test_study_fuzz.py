"""Any text is a study or one refusal. `python tests/test_study_fuzz.py COUNT` tries more."""

from __future__ import annotations

import random
import sys

from backwater.errors import Refusal
from backwater.study.definition import Study, shipped

TRIES = 300
# Characters and words with a meaning in the format.
MARKS = (
    *("```", "```toml study", "```toml scenario", "{{", "}}", '"""', "1e999", "nan", "\u202e"),
    *"[]{}\"'=,.#\\\n\r\t\0é-",
)


def mutated(text: str, dice: random.Random) -> str:
    """The text with a few cuts, copies, insertions and changes."""
    for _ in range(dice.randint(1, 6)):
        at, to = sorted(dice.randint(0, len(text)) for _ in range(2))
        to = min(to, at + dice.choice((1, 10, 300)))
        kind = dice.randrange(4)
        if kind == 0:
            text = text[:at] + text[to:]
        elif kind == 1:
            text = text[:to] + text[at:]
        elif kind == 2:
            text = text[:at] + dice.choice(MARKS) + text[at:]
        else:
            text = text[:at] + dice.choice(MARKS) + text[to:]
    return text


def attempt(seed: int, texts: list[str]) -> bool:
    """Whether a mutated study was read; anything but a refusal is a fault."""
    dice = random.Random(seed)
    text = mutated(dice.choice(texts), dice)
    try:
        Study.parse(text, "s.md")
    except Refusal:
        return False
    return True


def test_a_damaged_study_is_read_or_refused() -> None:
    texts = [path.read_text(encoding="utf-8") for path in shipped().values()]
    read = [attempt(seed, texts) for seed in range(TRIES)]
    # Damage to the prose alone leaves a study.
    assert any(read)
    assert not all(read)


if __name__ == "__main__":
    TEXTS = [path.read_text(encoding="utf-8") for path in shipped().values()]
    for number in range(int(sys.argv[1])):
        attempt(number, TEXTS)
