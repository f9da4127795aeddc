"""Chroma as a plain keeper of rows: in memory, in a folder, or behind a server.

Embeddings are always ours, the space is always cosine, and rows are replaced by delete and add,
because `add` keeps an old text and `upsert` keeps old metadata.
"""

from __future__ import annotations

import json
import re
import uuid
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from ragkit.records import Document

SERVER_PORT = 8000
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,398}[a-zA-Z0-9]")
_LISTS = "ragkit:lists"


class Store:
    """One Chroma collection: rows of id, text, metadata and vector."""

    def __init__(
        self, client: Any, collection: Any, place: str, *, temporary: bool = False
    ) -> None:
        self.place = place
        self._client = client
        self._collection = collection
        self._close = weakref.finalize(
            self, _release, client, collection.name if temporary else None
        )
        self._close.atexit = False

    @property
    def embedding(self) -> str:
        """The name of what embedded the rows."""
        return str((self._collection.metadata or {}).get("embedding", "unknown"))

    def count(self) -> int:
        """Return the number of rows."""
        with _explained(self.place):
            return int(self._collection.count())

    def dimension(self) -> int | None:
        """Return how many numbers a vector has, None where there is no row."""
        with _explained(self.place):
            found = self._collection.get(limit=1, include=["embeddings"])
        return len(found["embeddings"][0]) if found["ids"] else None

    def documents(self) -> list[Document]:
        """Return every document, ordered by id."""
        return self._read("documents", "metadatas")[0]

    def rows(self) -> tuple[list[Document], np.ndarray]:
        """Return every document, ordered by id, and their vectors `[rows, dimension]`."""
        return self._read("documents", "metadatas", "embeddings")

    def _read(self, *include: str) -> tuple[list[Document], np.ndarray]:
        with _explained(self.place):
            found = self._collection.get(include=list(include))
        order = sorted(range(len(found["ids"])), key=lambda row: found["ids"][row])
        documents = [
            Document(
                id=found["ids"][row],
                content=found["documents"][row],
                metadata=_from_row(found["metadatas"][row] or {}),
            )
            for row in order
        ]
        if "embeddings" not in include or not order:
            return documents, np.zeros((0, 0))
        return documents, np.array([found["embeddings"][row] for row in order], dtype=np.float64)

    def write(self, documents: Sequence[Document], vectors: np.ndarray) -> None:
        """Put rows in place of those with the same ids; nothing of the old ones stays."""
        self.delete([document["id"] for document in documents])
        for batch in self._batches(len(documents)):
            with _explained(self.place):
                self._collection.add(
                    ids=[document["id"] for document in documents[batch]],
                    documents=[document["content"] for document in documents[batch]],
                    metadatas=[_to_row(document["metadata"]) for document in documents[batch]],
                    embeddings=vectors[batch].tolist(),
                )

    def delete(self, ids: Sequence[str]) -> None:
        """Remove rows; unknown ids are nothing to remove."""
        for batch in self._batches(len(ids)):
            with _explained(self.place):
                self._collection.delete(ids=list(ids[batch]))

    def nearest(
        self, vector: Sequence[float], count: int, where: dict[str, Any] | None = None
    ) -> list[str]:
        """Return the ids of about the `count` nearest rows (the search is approximate)."""
        with _explained(self.place):
            found = self._collection.query(
                query_embeddings=[list(vector)], n_results=count, where=where, include=[]
            )
        return list(found["ids"][0])

    def matching(self, where: dict[str, Any]) -> set[str]:
        """Return the ids of all rows that pass a filter."""
        with _explained(self.place):
            return set(self._collection.get(where=where, include=[])["ids"])

    def _batches(self, count: int) -> Iterator[slice]:
        size = self._client.get_max_batch_size()
        return (slice(start, start + size) for start in range(0, count, size))


def _to_row(metadata: dict[str, Any]) -> dict[str, Any]:
    # Chroma 1.5 hands the lists of a deleted row to a later one, so lists go in as text
    lists = {key: value for key, value in metadata.items() if isinstance(value, list)}
    plain = {key: value for key, value in metadata.items() if key not in lists}
    return {**plain, _LISTS: json.dumps(lists, ensure_ascii=False)} if lists else plain


def _from_row(row: dict[str, Any]) -> dict[str, Any]:
    lists = json.loads(row.get(_LISTS, "{}"))
    plain = {key: value for key, value in row.items() if key != _LISTS}
    return dict(sorted({**plain, **lists}.items()))


def open_store(
    name: str,
    embedding: str,
    *,
    path: Path | str | None = None,
    server: str | None = None,
    create: bool = True,
) -> Store:
    """Open a collection, made when absent; in memory unless given a folder or a server.

    In memory the collection belongs to this store alone and goes with it.

    Raises:
        ValueError: an unusable name or place, or rows of another embedding.
        LookupError: nothing of that name is there and `create` is False.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} cannot name an index: 3 to 400 letters, digits, '.', '_' or '-', "
            "with a letter or digit at both ends"
        )
    if path is not None and server is not None:
        raise ValueError("an index lives in a folder (path) or behind a server, not in both")
    client, place = _client(path, server)
    temporary = path is None and server is None
    full_name = f"{name}-{uuid.uuid4().hex}" if temporary else name
    try:
        collection = _collection(client, full_name, embedding, place, create)
    except BaseException:
        client.close()
        raise
    store = Store(client, collection, place, temporary=temporary)
    if store.embedding != embedding:
        raise ValueError(
            f"index {name!r} {place} was built with another embedding ({store.embedding}); "
            f"this one is {embedding}. Open it with the first, or build under another name"
        )
    return store


def delete_index(
    *, path: Path | str | None = None, server: str | None = None, name: str = "ragkit"
) -> None:
    """Delete an index from a folder or a server; one that is not there is nothing to delete."""
    from chromadb.errors import NotFoundError

    client, _ = _client(path, server)
    try:
        client.delete_collection(name)
    except NotFoundError:
        return
    finally:
        client.close()


def _collection(client: Any, name: str, embedding: str, place: str, create: bool) -> Any:
    from chromadb.errors import NotFoundError

    try:
        return client.get_collection(name, embedding_function=None)
    except NotFoundError:
        if not create:
            raise LookupError(f"there is no index {name!r} {place}; build it first") from None
    # get_or_create, for a second process may have made it since
    return client.get_or_create_collection(
        name,
        embedding_function=None,
        configuration={"hnsw": {"space": "cosine"}},
        metadata={"embedding": embedding},
    )


def _client(path: Path | str | None, server: str | None) -> tuple[Any, str]:
    import chromadb

    settings = chromadb.config.Settings(anonymized_telemetry=False)
    if server is not None:
        host, port, ssl = parse_server(server)
        try:
            client = chromadb.HttpClient(host=host, port=port, ssl=ssl, settings=settings)
        except ValueError:
            raise ConnectionError(
                f"no Chroma server answers at {server}; start one: "
                f"chroma run --path DIR --port {port}"
            ) from None
        return client, f"at {server}"
    try:
        if path is None:
            return chromadb.EphemeralClient(settings=settings), "in memory"
        folder = _folder(path)
        return chromadb.PersistentClient(path=str(folder), settings=settings), f"in {folder}"
    except ValueError as problem:
        if "different settings" not in str(problem):
            raise
        raise ValueError(
            "another Chroma client in this process was made with other settings; make it with "
            "Settings(anonymized_telemetry=False), or give this index another path"
        ) from None


def _folder(path: Path | str) -> Path:
    folder = Path(path).expanduser().resolve()
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; an index needs a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise type(problem)(
            f"the index folder {folder} cannot be made: {problem.strerror}"
        ) from None
    return folder


def parse_server(server: str) -> tuple[str, int, bool]:
    """Return host, port and whether to use TLS, from `host`, `host:port` or a URL.

    Raises:
        ValueError: not an address of a server, or one with a path behind it.
    """
    parts = urlsplit(server if "://" in server else f"http://{server}")
    try:
        port = parts.port or (443 if parts.scheme == "https" else SERVER_PORT)
    except ValueError:
        port = 0
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or not port
        or parts.path.strip("/")
    ):
        raise ValueError(f"{server!r} is no server address; give host:port or http(s)://host:port")
    return parts.hostname, port, parts.scheme == "https"


def _release(client: Any, temporary_name: str | None) -> None:
    from chromadb.errors import ChromaError

    try:
        if temporary_name is not None:
            client.delete_collection(temporary_name)
        client.close()
    except (ChromaError, OSError, ValueError):
        return  # gone already


@contextmanager
def _explained(place: str) -> Iterator[None]:
    """Turn Chroma's errors into ones that say what to do."""
    from chromadb.errors import InternalError, InvalidArgumentError, NotFoundError

    try:
        yield
    except NotFoundError:
        raise LookupError(f"the index {place} was deleted while open; build it again") from None
    except InternalError as problem:
        raise OSError(
            f"Chroma cannot use the index {place} (was its folder deleted or made read-only while "
            f"open? build it again in a fresh folder): {problem}"
        ) from problem
    except InvalidArgumentError as problem:
        raise ValueError(f"Chroma refused this for the index {place}: {problem}") from problem
