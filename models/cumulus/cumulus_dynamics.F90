!> One large step of the dry dynamics and of the transport of scalars: three Runge-Kutta stages, each of which
!> starts again from the beginning of the step and covers the sound waves with small steps.
!> Sources: Wicker and Skamarock (2002), Mon. Wea. Rev. 130, 2088-2097 (the stages); Klemp, Skamarock and
!> Dudhia (2007), Mon. Wea. Rev. 135, 2897-2913 (scalars carried by the wind averaged over the small steps).
!>
!> Scalars are transported with the pseudo-density rho + p'/c**2, whose continuity equation is just the
!> pressure equation of the small steps: they are conserved to rounding, and a uniform one stays uniform.
module cumulus_dynamics
  use cumulus_acoustic, only: slow_forcing, acoustic_steps, allocate_forcing, longest_small_step
  use cumulus_advection, only: flux_divergence, at_centre, at_u, at_v, at_w
  use cumulus_constants, only: dp, gravity, halo, sound_speed, vapour_buoyancy
  use cumulus_grid, only: model_grid
  use cumulus_halo, only: exchange
  use cumulus_mixing, only: horizontal_mixing
  use cumulus_state, only: base_state, model_state, allocate_state, all_fields, new_field
  use cumulus_viscosity, only: prandtl_number
  implicit none
  private
  public :: dynamics_workspace, allocate_workspace, advance_dynamics

  integer, parameter :: stages = 3

  type :: dynamics_workspace
    type(slow_forcing) :: slow
    type(model_state) :: start                   !< the state at the beginning of the step
    type(model_state) :: mixing                  !< tendencies by horizontal mixing, constant over the stages
    real(dp), allocatable :: divergence(:, :, :), mass_divergence(:, :, :)            !< at centres, u and v
    real(dp), allocatable :: divergence_face(:, :, :), mass_divergence_face(:, :, :)  !< at w
    integer :: small_steps = 0                   !< in the latest large step, over all stages
  end type dynamics_workspace

contains

  subroutine allocate_workspace(grid, work)
    type(model_grid), intent(in) :: grid
    type(dynamics_workspace), intent(out) :: work

    call allocate_forcing(grid, work%slow)
    call allocate_state(grid, work%start)
    call allocate_state(grid, work%mixing)
    call new_field(grid, grid%nz, work%divergence)
    call new_field(grid, grid%nz, work%mass_divergence)
    call new_field(grid, grid%nz + 1, work%divergence_face)
    call new_field(grid, grid%nz + 1, work%mass_divergence_face)
  end subroutine allocate_workspace

  !> Advances everything by dt seconds. The halos must be valid before, and must be exchanged after it.
  subroutine advance_dynamics(grid, base, viscosity, dt, work, state)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    real(dp), intent(in), contiguous :: viscosity(:, :, :)
    real(dp), intent(in) :: dt
    type(dynamics_workspace), intent(inout), target :: work
    type(model_state), intent(inout), target :: state
    integer :: stage, count
    real(dp) :: dt_stage, dtau

    call mix_horizontally(grid, viscosity, state, work%mixing)
    call copy_fields(state, work%start)
    work%small_steps = 0
    do stage = 1, stages
      dt_stage = dt / (stages + 1 - stage)
      count = ceiling(dt_stage / longest_small_step(grid))
      dtau = dt_stage / count
      work%small_steps = work%small_steps + count
      call force_wind(grid, base, state, work)
      if (stage > 1) then
        state%u = work%start%u
        state%v = work%start%v
        state%w = work%start%w
        state%p = work%start%p
      end if
      call acoustic_steps(grid, base, count, dtau, work%slow, state)
      call carry(grid, base, dt_stage, dtau, work%start%p, work%start%theta, work%mixing%theta, base%theta, &
                 work, state%p, state%theta)
      call carry(grid, base, dt_stage, dtau, work%start%p, work%start%qv, work%mixing%qv, 0 * base%theta, &
                 work, state%p, state%qv)
      call carry(grid, base, dt_stage, dtau, work%start%p, work%start%ql, work%mixing%ql, 0 * base%theta, &
                 work, state%p, state%ql)
      if (stage < stages) call exchange(grid, all_fields(state))
    end do
  end subroutine advance_dynamics

  !> Copies all fields into arrays that have their shapes already.
  subroutine copy_fields(from, to)
    type(model_state), intent(in) :: from
    type(model_state), intent(inout) :: to

    to%u = from%u
    to%v = from%v
    to%w = from%w
    to%theta = from%theta
    to%qv = from%qv
    to%ql = from%ql
    to%p = from%p
  end subroutine copy_fields

  subroutine mix_horizontally(grid, viscosity, state, tendency)
    type(model_grid), intent(in) :: grid
    real(dp), intent(in), contiguous :: viscosity(:, :, :)
    type(model_state), intent(in) :: state
    type(model_state), intent(inout) :: tendency

    call horizontal_mixing(grid, at_u, viscosity, 1.0_dp, state%u, tendency%u)
    call horizontal_mixing(grid, at_v, viscosity, 1.0_dp, state%v, tendency%v)
    call horizontal_mixing(grid, at_w, viscosity, 1.0_dp, state%w, tendency%w)
    call horizontal_mixing(grid, at_centre, viscosity, 1 / prandtl_number, state%theta, tendency%theta)
    call horizontal_mixing(grid, at_centre, viscosity, 1 / prandtl_number, state%qv, tendency%qv)
    call horizontal_mixing(grid, at_centre, viscosity, 1 / prandtl_number, state%ql, tendency%ql)
  end subroutine mix_horizontally

  !> The slow accelerations (m s-2): advection, mixing and buoyancy.
  subroutine force_wind(grid, base, state, work)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in) :: state
    type(dynamics_workspace), intent(inout) :: work
    real(dp) :: buoyancy(grid%nz)
    integer :: i, j, nz

    nz = grid%nz
    associate (flux => work%divergence, mass => work%mass_divergence, slow => work%slow, &
               mixing => work%mixing)
      call flux_divergence(grid, base, at_u, state%u, state%u, state%v, state%w, flux, mass)
      do i = 1, grid%nx + 1
        do j = 1, grid%ny
          slow%u(:, j, i) = mixing%u(:, j, i) + (state%u(:, j, i) * mass(:, j, i) - flux(:, j, i)) / base%rho
        end do
      end do
      call flux_divergence(grid, base, at_v, state%v, state%u, state%v, state%w, flux, mass)
      do i = 1, grid%nx
        do j = 1, grid%ny + 1
          slow%v(:, j, i) = mixing%v(:, j, i) + (state%v(:, j, i) * mass(:, j, i) - flux(:, j, i)) / base%rho
        end do
      end do
    end associate
    associate (flux => work%divergence_face, mass => work%mass_divergence_face, slow => work%slow)
      call flux_divergence(grid, base, at_w, state%w, state%u, state%v, state%w, flux, mass)
      do i = 1, grid%nx
        do j = 1, grid%ny
          buoyancy = gravity * (state%theta(:, j, i) / base%theta &
                                + vapour_buoyancy * (state%qv(:, j, i) - base%qv) - state%ql(:, j, i))
          slow%w(2:nz, j, i) = work%mixing%w(2:nz, j, i) + 0.5_dp * (buoyancy(:nz - 1) + buoyancy(2:)) &
                               + (state%w(2:nz, j, i) * mass(2:nz, j, i) - flux(2:nz, j, i)) &
                               / base%rho_face(2:nz)
        end do
      end do
    end associate
  end subroutine force_wind

  !> Transports the departure `s` of a scalar from the profile `background`, from its values at the beginning
  !> of the step over one stage, with fluxes from its latest values.
  subroutine carry(grid, base, dt_stage, dtau, p_start, s_start, mixing, background, work, p, s)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    real(dp), intent(in) :: dt_stage, dtau
    real(dp), intent(in), contiguous, dimension(:, 1 - halo:, 1 - halo:) :: p_start, s_start, mixing, p
    real(dp), intent(in) :: background(:)
    type(dynamics_workspace), intent(inout) :: work
    real(dp), intent(inout), contiguous :: s(:, 1 - halo:, 1 - halo:)
    real(dp) :: lift(grid%nz + 1), step(grid%nz + 1)
    real(dp), parameter :: per_c2 = 1 / sound_speed**2
    integer :: i, j, nz

    nz = grid%nz
    step = 0
    step(2:nz) = base%rho_face(2:nz) * (background(2:) - background(:nz - 1)) * 0.5_dp / grid%dz
    associate (slow => work%slow, flux => work%divergence)
      call flux_divergence(grid, base, at_centre, s, slow%u_sum, slow%v_sum, slow%w_sum, flux)
      do i = 1, grid%nx
        do j = 1, grid%ny
          lift = slow%w_sum(:, j, i) * step
          s(:, j, i) = ((base%rho + p_start(:, j, i) * per_c2) * s_start(:, j, i) &
                        + dt_stage * base%rho * mixing(:, j, i) &
                        - dtau * (flux(:, j, i) + (lift(:nz) + lift(2:)))) / (base%rho + p(:, j, i) * per_c2)
        end do
      end do
    end associate
  end subroutine carry
end module cumulus_dynamics
