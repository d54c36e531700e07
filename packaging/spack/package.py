# ruff: noqa: F403, F405, I001
# Copyright of the Pileus authors, Apache License 2.0.
"""Spack: copy this file to packages/pileus/ of a repository of your own (`spack repo create`, `spack repo
add`); then, in a clone of Pileus, `spack dev-build pileus@main ^openmpi`, which takes the sources there."""

from spack.package import *


class Pileus(CMakePackage):
    """In situ analysis and output for weather, climate and ocean models."""


    license("Apache-2.0")

    version("main")

    variant("models", default=False, description="Build the model cumulus and the examples")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("netcdf-c~mpi")  # the serial library: servers write without a parallel one
    depends_on("hdf5~mpi+hl")
    depends_on("zlib-api")
    depends_on("expat")
    depends_on("cli11")
    depends_on("nlohmann-json")
    depends_on("udunits")
    depends_on("netcdf-fortran", when="+models")

    requires("%gcc@12:", policy="one_of", msg="Pileus is tested with GCC 12 and later")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("PILEUS_TESTS", False),
            self.define_from_variant("PILEUS_MODELS", "models"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.pileus)("--version")
