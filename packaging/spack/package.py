# ruff: noqa: F403, F405, I001
# Copyright of the Pileus authors, Apache License 2.0.
"""Spack 1.0 and later. Copy this file to packages/pileus/ of a repository of your own (`spack repo create`,
`spack repo add`). Then, in a clone of Pileus: `spack install pileus@main ^openmpi` takes its branch main,
`spack dev-build pileus@main ^openmpi` the sources as they lie there."""

import os

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Pileus(CMakePackage):
    """In situ analysis and output for weather, climate and ocean models."""

    homepage = "https://doi.org/10.1002/cpe.4331"  # the paper whose ideas it grew from
    git = "file://" + os.getcwd()

    license("Apache-2.0")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("mpi")
    depends_on("netcdf-c@4.9:~mpi")  # the serial library: servers write without a parallel one
    depends_on("hdf5+hl~mpi")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("c-blosc")
    depends_on("eccodes")
    depends_on("libaec")
    depends_on("expat")
    depends_on("udunits")
    # Spack has no package of it; a header is all that is taken.
    resource(
        name="kissfft",
        git="https://github.com/mborgerding/kissfft.git",
        tag="131.1.0",
        placement="kissfft",
    )

    generator("ninja")

    requires("%gcc@12:", msg="Pileus is tested with GCC 12 and later")

    def cmake_args(self):
        return [
            self.define("PILEUS_TESTS", False),
            self.define("PILEUS_MODELS", False),
            self.define("PILEUS_UNITY", True),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.pileus)("--version")
