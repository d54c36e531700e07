!> The calls of docs/input.md: a profile that is forced where the configuration brings the forcing.
!> Arguments: the configuration. It prints the profile at the end of each step.
program input_example
  use pileus
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none

  integer, parameter :: nz = 3, steps = 4
  real(real64), parameter :: dt = 300
  type(pileus_run) :: run
  character(1024) :: configuration
  real(real64) :: time, tendency(nz), theta(nz)
  integer :: field, forcing, step
  logical :: is_forced

  call get_command_argument(1, configuration)
  call pileus_start(run, configuration)
  call pileus_dimension(run, "z", nz)
  field = pileus_field(run, "theta", ["z"], count=[nz])
  theta = 300
  tendency = 0
  ! docs: calls
  forcing = pileus_input(run, "theta_forcing", ["z"], count=[nz], units="K s-1")
  call pileus_commit(run)
  is_forced = pileus_is_brought(run, forcing)
  do step = 1, steps
    time = step * dt
    if (is_forced) call pileus_get(run, forcing, time, tendency)
    ! docs: end
    theta = theta + dt * tendency
    call pileus_begin(run, step, time, dt, is_final=step == steps)
    if (pileus_wanted(run, field)) call pileus_put(run, field, theta)
    call pileus_end(run)
    print '(3es25.16e3)', theta
  end do
  call pileus_finish(run)
  call pileus_free(run)
end program input_example
