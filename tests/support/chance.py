"""How much is tried at random, and from which seeds.

`bin/test` tries the same on every run, `bin/test --fast` less of it, `bin/test --explore` something new and more of it.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

USUAL = 100  # examples of a property, if it does not ask for another number
SEED = int(os.environ.get("COREFLENS_SEED", "0"))  # where seeds begin that have no reason to be what they are

# A busy machine is no failure: no deadline, and no verdict on how long examples take to draw.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _PATIENT, max_examples=USUAL, derandomize=True, database=None)
settings.register_profile("fast", _PATIENT, max_examples=USUAL // 20, derandomize=True, database=None)
settings.register_profile("explore", _PATIENT, max_examples=5 * USUAL, print_blob=True)


def examples(number: int) -> settings:
    """A property that asks for another number of examples: `@examples(300)`."""
    return settings(max_examples=_share(number))


def seeds(number: int) -> range:
    """So many seeds, and fewer of them with --fast."""
    return range(SEED, SEED + min(number, _share(number)))


def _share(number: int) -> int:
    """As many of what is tried as the profile wants."""
    profile = settings.get_profile(settings.get_current_profile_name())
    return max(1, number * profile.max_examples // USUAL)
