"""Machines and results for other programs: C code, FMUs, MJCF, URDF, SDF, meshes, tables, .mat files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.export import c_code as c_code
    from gough.export import mjcf as mjcf
    from gough.export import sdf as sdf
    from gough.export import tables as tables
    from gough.export import urdf as urdf
    from gough.export.c_code import CProject as CProject
    from gough.export.c_code import c_project as c_project
    from gough.export.c_hosts import host_project as host_project
    from gough.export.fmu import write_fmu as write_fmu
    from gough.export.joint_readings import joint_table as joint_table
    from gough.export.machine_meshes import machine_parts as machine_parts
    from gough.export.machine_meshes import save_machine as save_machine
    from gough.export.map_files import save_map as save_map
    from gough.export.mat_files import write_mat as write_mat
    from gough.export.meshes import save_mesh as save_mesh
    from gough.export.mjcf import save_mjcf as save_mjcf
    from gough.export.sdf import save_sdf as save_sdf
    from gough.export.tables import forces_table as forces_table
    from gough.export.tables import motion_table as motion_table
    from gough.export.tables import write_csv as write_csv
    from gough.export.tables import write_netcdf as write_netcdf
    from gough.export.urdf import save_urdf as save_urdf
    from gough.export.urdf import urdf_companion as urdf_companion

__getattr__, __dir__ = lazy.attach(__name__)
