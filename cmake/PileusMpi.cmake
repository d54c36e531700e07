# pileus_mpi_test(<name> <target> <ranks>)
#
# Adds the test <name>: the program <target> on <ranks> ranks of one machine, however few cores it has. It
# fails if any rank fails, or if it takes too long. REQUIRES: find_package(MPI) before.

if(NOT DEFINED PILEUS_MPIEXEC_IS_OPEN_MPI)
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
  string(REGEX MATCH "Open ?MPI|OpenRTE|PRTE" found "${version}")
  if(found)
    set(found TRUE)
  else()
    set(found FALSE)
  endif()
  set(PILEUS_MPIEXEC_IS_OPEN_MPI ${found} CACHE INTERNAL "mpirun is Open MPI's")
endif()

function(pileus_mpi_test name target ranks)
  if(PILEUS_MPIEXEC_IS_OPEN_MPI)
    set(options --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
    set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
    if(PILEUS_SANITIZE MATCHES thread)
      list(APPEND environment OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
        TSAN_OPTIONS=ignore_noninstrumented_modules=1)
    endif()
  elseif(PILEUS_SANITIZE)
    set(environment UCX_MEM_EVENTS=n UCX_MEM_MMAP_HOOK_MODE=none
      TSAN_OPTIONS=ignore_noninstrumented_modules=1)
  endif()
  # What MPI itself leaves behind at the end is not ours to find.
  list(APPEND environment ASAN_OPTIONS=detect_leaks=0)
  add_test(NAME ${name}
    COMMAND ${MPIEXEC_EXECUTABLE} ${options} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${target}>)
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "${environment}" TIMEOUT 300 PROCESSORS ${ranks} LABELS mpi)
endfunction()
