"""The base of all builders: parts, tables, and the check of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from backwater.errors import Refusal, nearest
from backwater.model.builders.documented import arguments_of, described, identifier
from backwater.model.builders.values import check
from backwater.model.tables import Row, tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A quantity is a text with a number and a unit.
Time: TypeAlias = str  # "20 ms"
Rate: TypeAlias = str  # "3 Mbit/s"
Size: TypeAlias = str  # "1500 B"
Packets: TypeAlias = str  # "100 packets"
Share: TypeAlias = str  # "80 %"
Length: TypeAlias = str  # "100 m"
Level: TypeAlias = str  # "6 dB" or "20 dBm", as the argument says
Capacity: TypeAlias = str  # "50 kB", "100 packets" or "unlimited"
# A table as a person writes it.
Written: TypeAlias = Mapping[str, Any]
# Whole numbers: a list, a NumPy array, or their packed text.
Series: TypeAlias = "Sequence[int] | NDArray[Any] | str"


class NoSuchPartError(Refusal, AttributeError):
    """A part that no table has."""


class _Kinds(type):
    """Makes the builder of a part from its row, or names the nearest part where there is none."""

    # The engine's table of this kind of part.
    TABLE: str

    def __getattr__(cls, name: str) -> Any:
        rows = {} if name.startswith("_") or name == "TABLE" else _rows_by_name(cls.TABLE)
        if name not in rows:
            near = nearest(name, list(rows))
            raise NoSuchPartError(
                f"{cls.__name__} has no `{name}`",
                place=cls.__name__,
                nearest=near,
                fix="name a part",
            )
        made = _builder(cls, name, rows[name])
        setattr(cls, name, staticmethod(made))
        return made

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__(), *_rows_by_name(cls.TABLE)})


def _rows_by_name(table: str) -> dict[str, Row]:
    """The rows of a table by the names that their builders have."""
    return {identifier(row["id"]): row for row in tables()[table]}


def _builder(cls: Any, name: str, row: Row) -> Callable[..., Any]:
    """The function that makes a part of one row; it knows its arguments and describes them."""
    parameters = [
        inspect.Parameter(
            one.parameter,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.required else None,
            annotation=one.annotation,
        )
        for one in arguments_of(row)
    ]
    signature = inspect.Signature(parameters, return_annotation=cls.__name__)

    def build(*args: Any, **options: Any) -> Any:
        _check(build.__qualname__, signature, args, options)
        return cls(row["id"], **options)

    build.__name__, build.__qualname__ = name, f"{cls.__name__}.{name}"
    build.__module__, build.__doc__ = cls.__module__, described(_title_of(cls, row), row)
    build.__signature__ = signature  # type: ignore[attr-defined]
    return build


def _title_of(cls: type, row: Row) -> str:
    return f"The {cls.__name__.lower()} `{row['id']}`."


class Part(metaclass=_Kinds):
    """A part with its options: `Source("cbr", rate="3 Mbit/s")`, or `Source.cbr(...)`.

    Without a kind it holds options of a part that a recipe names.
    """

    TABLE: ClassVar[str]

    def __init__(self, kind: str | None = None, **options: Any) -> None:
        self.kind = kind
        names = {_argument(name): name for name in self._names()}
        for given in options:
            if _argument(given) not in names:
                raise _unknown(self._title(), given, list(names))
        self.options = {
            names[_argument(given)]: value for given, value in options.items() if value is not None
        }
        rows = [] if kind is None else arguments_of(_row(self.TABLE, kind))
        for one in rows:
            if one.name in self.options:
                given = _argument(one.name)
                check(self._title(), given, one.annotation, self.options[one.name], _parts())

    def table(self) -> dict[str, Any]:
        """As a person would write it."""
        kind = {} if self.kind is None else {"kind": self.kind}
        return {**kind, **{name: plain(value) for name, value in self.options.items()}}

    def _names(self) -> list[str]:
        """The options of the kind; without a kind those of every kind."""
        rows = tables()[self.TABLE]
        if self.kind is not None:
            rows = [_row(self.TABLE, self.kind)]
        return list(dict.fromkeys(option["name"] for row in rows for option in row["options"]))

    def _title(self) -> str:
        return type(self).__name__ + ("" if self.kind is None else f' "{self.kind}"')

    def __repr__(self) -> str:
        shown = [repr(self.kind)] if self.kind is not None else []
        shown += [f"{_argument(name)}={value!r}" for name, value in self.options.items()]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, Part)
            and self._as_pair() == other._as_pair()
        )

    def __hash__(self) -> int:
        return hash((type(self), self.kind, tuple(sorted(self.options))))

    def _as_pair(self) -> tuple[str | None, dict[str, Any]]:
        return self.kind, self.options


class _Checked(type):
    """Makes constructors refuse wrong arguments as everything else is refused."""

    if not TYPE_CHECKING:

        def __call__(cls, *args, **kwargs):
            _check(cls.__name__, inspect.signature(cls.__init__), (None, *args), kwargs)
            return super().__call__(*args, **kwargs)

        @property
        def __signature__(cls) -> inspect.Signature:
            """That of the constructor, for people who ask what it takes."""
            signature = inspect.signature(cls.__init__)
            return signature.replace(parameters=list(signature.parameters.values())[1:])


class Table(metaclass=_Checked):
    """A dataclass that is a table of the scenario; what is None is left out."""

    _fixed: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        """A dataclass would write a `__repr__` of its own, with every None."""
        cls.__repr__ = Table.__repr__  # type: ignore[method-assign]

    def table(self) -> dict[str, Any]:
        """As a person would write it."""
        written = dict(self._fixed)
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if value is not None:
                written[one.name.rstrip("_")] = plain(value)
        return written

    def __repr__(self) -> str:
        """The call that makes it, without what was left out."""
        some = [(one.name, getattr(self, one.name)) for one in fields(self)]  # type: ignore[arg-type]
        shown = [f"{name}={value!r}" for name, value in some if value is not None]
        return f"{type(self).__name__}({', '.join(shown)})"


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, (Table, Part)):
        return value.table()
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "__array__") and hasattr(value, "dtype"):
        return packed(value)
    return value


def packed(values: Any) -> Any:
    """An array of whole numbers as the text in which scenarios keep it."""
    import numpy as np

    from backwater import _native

    found = np.asarray(values)
    if found.ndim == 0:
        return found.item()
    whole = found.ndim == 1 and found.dtype.kind in "iuf" and bool(np.all(found == np.floor(found)))
    if not whole or bool(np.any(found < 0)) or bool(np.any(found > 2**53)):
        raise Refusal(
            f"an array of {found.dtype} with {found.ndim} dimensions is no list of whole numbers",
            place="<array>",
            fix="give one dimension of numbers from 0 to 2^53",
        )
    return _native.pack(found.astype(np.uint64))


def _check(
    what: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    known = [name for name in signature.parameters if name != "self"]
    for given in kwargs:
        if given not in known:
            raise _unknown(what, given, known)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise Refusal(
            f"{what}: {error}", place=what, fix=f"write {what}({', '.join(known)})"
        ) from None
    for name, value in bound.arguments.items():
        check(what, _argument(name), str(signature.parameters[name].annotation), value, _parts())


def _parts() -> dict[str, type[Part]]:
    """The builders of parts by their names."""
    return {one.__name__: one for one in Part.__subclasses__()}


def _unknown(what: str, given: str, known: list[str]) -> Refusal:
    return Refusal(
        f"{what} has no argument `{given}`",
        place=what,
        nearest=nearest(given, known) or known,
        fix="name one of its arguments" if known else "remove it: there are no arguments",
    )


def _row(table: str, kind: str) -> Row:
    rows = tables()[table]
    found = next((row for row in rows if kind in (row["id"], *row["aliases"])), None)
    if found is None:
        ids = [row["id"] for row in rows]
        raise Refusal(
            f"there is no `{kind}` among the {table}",
            nearest=nearest(kind, ids) or ids,
            fix=f"see `backwater list {table}`",
        )
    return found


def _argument(name: str) -> str:
    """An option as a Python argument: `base-window` is base_window, `class` is class_."""
    return name.replace("-", "_").rstrip("_")
