!> Takes the place of MONC's io/src/ioserver.F90: the ranks that MONC has chosen for its IO serve Pileus,
!> until the model ranks finish the run. MONC_EPCC is defined for the newer fork, whose core passes more
!> arguments.
module io_server_mod
  use datadefn_mod, only: DEFAULT_PRECISION, LONG_STRING_LENGTH
  use collections_mod, only: hashmap_type
  use logging_mod, only: LOG_ERROR, log_log
  use mpi, only: MPI_COMM_WORLD
  use pileus, only: pileus_error, pileus_free, pileus_ok, pileus_run, pileus_serve
  implicit none
  private

  public :: io_server_run

contains

  !> Returns when the run is over. The configuration is the one that the model ranks name.
#ifdef MONC_EPCC
  subroutine io_server_run(options_database, io_communicator_arg, provided_threading, &
    total_global_processes, continuation_run, reconfig_initial_time, io_configuration_file, my_global_rank)
#else
  subroutine io_server_run(options_database, io_communicator_arg, provided_threading, &
    total_global_processes, continuation_run, io_configuration_file)
#endif
    type(hashmap_type), intent(inout) :: options_database
    integer, intent(in) :: io_communicator_arg, provided_threading, total_global_processes
    logical, intent(in) :: continuation_run
#ifdef MONC_EPCC
    real(DEFAULT_PRECISION), intent(in) :: reconfig_initial_time
    integer, intent(in) :: my_global_rank
#endif
    character(LONG_STRING_LENGTH), intent(in) :: io_configuration_file
    type(pileus_run) :: run
    integer :: status

    call pileus_serve(run, MPI_COMM_WORLD, status)
    if (status /= pileus_ok) call log_log(LOG_ERROR, pileus_error(run))
    call pileus_free(run)
  end subroutine io_server_run

end module io_server_mod
