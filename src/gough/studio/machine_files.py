"""The machine at the shown pose as a file for other programs."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from gough.export.machine_meshes import machine_bytes, machine_parts
from gough.studio import view_messages as v
from gough.studio.numbering import place

if TYPE_CHECKING:
    from gough.studio.session import Session


def export_machine(session: Session, message: v.ExportMachine) -> v.MachineExported:
    """A glTF or STL file, and how much is in it."""
    platform, pose = session.platform, place(session.platform, message.pose)
    data = machine_bytes(platform, pose, message.form)
    parts = machine_parts(platform, pose)
    count = sum(len(mesh.triangles) for mesh in parts.values())
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in session.label) or "machine"
    text = f"{len(parts)} parts, {count} triangles, {len(data) / 1024:.0f} kB"
    return v.MachineExported(
        message.id, session.count, f"{name}.{message.form}", b64encode(data).decode("ascii"), text
    )
