!> One whole time step of the model, with the choice of its length.
module cumulus_step
  use mpi_f08, only: MPI_Allreduce, MPI_DOUBLE_PRECISION, MPI_MAX
  use cumulus_constants, only: dp, sound_speed
  use cumulus_dynamics, only: dynamics_workspace, advance_dynamics, allocate_workspace
  use cumulus_grid, only: model_grid
  use cumulus_halo, only: exchange
  use cumulus_mixing, only: vertical_mixing
  use cumulus_saturation, only: adjust_to_saturation
  use cumulus_state, only: base_state, model_state, all_fields, new_field
  use cumulus_viscosity, only: eddy_viscosity
  implicit none
  private
  public :: model_workspace, allocate_model_workspace, advance, next_dt, maxima

  real(dp), parameter :: courant = 0.45_dp          !< cells that the wind may cross in a step
  real(dp), parameter :: growth = 1.02_dp           !< the most that a step may grow over the one before
  real(dp), parameter :: longest_per_metre = 0.02_dp  !< longest step over mesh width, s m-1

  !> The largest values anywhere in the domain.
  type :: maxima
    real(dp) :: courant_rate = 0                    !< cells crossed per second
    real(dp) :: w = 0                               !< magnitude of the vertical wind, m s-1
    real(dp) :: ql = 0                              !< kg kg-1
    logical :: has_failed = .false.                 !< whether any rank has failed
  end type maxima

  type :: model_workspace
    type(dynamics_workspace) :: dynamics
    real(dp), allocatable :: viscosity(:, :, :)     !< m2 s-1
  end type model_workspace

contains

  subroutine allocate_model_workspace(grid, work)
    type(model_grid), intent(in) :: grid
    type(model_workspace), intent(out) :: work

    call allocate_workspace(grid, work%dynamics)
    call new_field(grid, grid%nz, work%viscosity)
  end subroutine allocate_model_workspace

  !> Advances the state by one step. The one global operation is an exact maximum, which gives the length of
  !> the step. It also tells all ranks whether one has failed at something else; then nothing is advanced. The
  !> halos are valid before and after. Errors: on all ranks `is_sound` is false and nothing is advanced if the
  !> wind is not finite, or is too fast for the sound of the small steps.
  subroutine advance(grid, base, work, has_failed, state, largest, is_sound)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_workspace), intent(inout), target :: work
    logical, intent(in) :: has_failed
    type(model_state), intent(inout), target :: state
    type(maxima), intent(out) :: largest
    logical, intent(out) :: is_sound
    real(dp) :: dt

    call find_maxima(grid, state, has_failed, largest)
    is_sound = largest%w < sound_speed
    if (largest%has_failed .or. .not. is_sound) return
    dt = next_dt(grid, state, largest)
    call eddy_viscosity(grid, base, state, dt, work%viscosity)
    call advance_dynamics(grid, base, work%viscosity, dt, work%dynamics, state)
    call vertical_mixing(grid, base, work%viscosity, dt, state)
    call adjust_to_saturation(grid, base, state)
    call damp_below_lid(grid, base, dt, state)
    call exchange(grid, all_fields(state))
    state%dt = dt
    state%time = state%time + dt
    state%step = state%step + 1
  end subroutine advance

  !> The length of the next step (s): it keeps the Courant number, and is only a little longer than the one
  !> before.
  pure real(dp) function next_dt(grid, state, largest)
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    type(maxima), intent(in) :: largest
    real(dp) :: longest

    longest = longest_per_metre * min(grid%dx, grid%dy)
    next_dt = merge(growth * state%dt, 0.5_dp * longest, state%dt > 0)
    next_dt = min(next_dt, longest)
    if (next_dt * largest%courant_rate > courant) next_dt = courant / largest%courant_rate
  end function next_dt

  !> The largest values of all ranks. A maximum is exact, so it does not depend on the decomposition. A value
  !> that is not a number counts as huge.
  subroutine find_maxima(grid, state, has_failed, largest)
    type(model_grid), intent(in) :: grid
    type(model_state), intent(in) :: state
    logical, intent(in) :: has_failed
    type(maxima), intent(out) :: largest
    real(dp) :: own(4), all_ranks(4), rate(grid%nz)
    integer :: i, j, nz

    nz = grid%nz
    own = 0
    associate (u => state%u, v => state%v, w => state%w)
      do i = 1, grid%nx
        do j = 1, grid%ny
          rate = max(abs(u(:, j, i)), abs(u(:, j, i + 1))) / grid%dx &
                 + max(abs(v(:, j, i)), abs(v(:, j + 1, i))) / grid%dy &
                 + max(abs(w(:nz, j, i)), abs(w(2:, j, i))) / grid%dz
          own(1) = max(own(1), maxval(rate))
          own(2) = max(own(2), maxval(abs(w(:, j, i))))
          own(3) = max(own(3), maxval(state%ql(:, j, i)))
          if (.not. all(abs(u(:, j, i)) + abs(v(:, j, i)) + abs(w(:nz, j, i)) < huge(rate))) own = huge(own)
        end do
      end do
    end associate
    own(4) = merge(1, 0, has_failed)
    call MPI_Allreduce(own, all_ranks, size(own), MPI_DOUBLE_PRECISION, MPI_MAX, grid%comm)
    largest = maxima(all_ranks(1), all_ranks(2), all_ranks(3), all_ranks(4) > 0)
  end subroutine find_maxima

  !> Relaxes wind and temperature towards the base state in a layer below the lid, implicitly, so that waves
  !> are not reflected by it.
  subroutine damp_below_lid(grid, base, dt, state)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    real(dp), intent(in) :: dt
    type(model_state), intent(inout) :: state
    real(dp) :: kept(grid%nz), kept_face(grid%nz + 1)
    integer :: i, j, first

    kept = 1 / (1 + dt * base%damping)
    kept_face = 1 / (1 + dt * base%damping_face)
    first = grid%nz - count(base%damping > 0) + 1
    do i = 1, grid%nx
      do j = 1, grid%ny
        state%u(first:, j, i) = base%u(first:) + (state%u(first:, j, i) - base%u(first:)) * kept(first:)
        state%v(first:, j, i) = base%v(first:) + (state%v(first:, j, i) - base%v(first:)) * kept(first:)
        state%w(first:, j, i) = state%w(first:, j, i) * kept_face(first:)
        state%theta(first:, j, i) = state%theta(first:, j, i) * kept(first:)
      end do
    end do
  end subroutine damp_below_lid
end module cumulus_step
