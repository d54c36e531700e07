!> Large-scale forcing: what the flow around the domain does to each level, as profiles that are the same in
!> all columns. Without any the model is alone in the world. The profiles come from outside (cumulus_output).
module cumulus_forcing
  use cumulus_constants, only: dp, halo
  use cumulus_grid, only: model_grid
  use cumulus_state, only: base_state, model_state
  implicit none
  private
  public :: large_scale, allocate_large_scale, apply_large_scale

  type :: large_scale
    logical :: is_on = .false.
    real(dp), allocatable :: theta(:)   !< tendency of potential temperature, K s-1
    real(dp), allocatable :: qv(:)      !< of water vapour, kg kg-1 s-1
    real(dp), allocatable :: w(:)       !< vertical wind that carries both, m s-1; negative: subsidence
  end type large_scale

contains

  subroutine allocate_large_scale(grid, forcing)
    type(model_grid), intent(in) :: grid
    type(large_scale), intent(out) :: forcing

    allocate (forcing%theta(grid%nz), forcing%qv(grid%nz), forcing%w(grid%nz), source=0.0_dp)
  end subroutine allocate_large_scale

  !> Adds the forcing of the latest step, with upwind differences for what the vertical wind carries. Each
  !> column is by itself, so halos that were valid stay so.
  subroutine apply_large_scale(grid, base, forcing, state)
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(large_scale), intent(in) :: forcing
    type(model_state), intent(inout) :: state
    real(dp) :: theta(grid%nz), qv(grid%nz)
    integer :: i, j

    if (.not. forcing%is_on) return
    do i = 1 - halo, grid%nx + halo
      do j = 1 - halo, grid%ny + halo
        theta = base%theta + state%theta(:, j, i)
        qv = state%qv(:, j, i)
        state%theta(:, j, i) = state%theta(:, j, i) &
          + state%dt * (forcing%theta - carried(grid, forcing%w, theta))
        state%qv(:, j, i) = max(0.0_dp, qv + state%dt * (forcing%qv - carried(grid, forcing%w, qv)))
      end do
    end do
  end subroutine apply_large_scale

  !> w dq/dz from the side that the wind comes from; nothing comes in through ground and lid.
  pure function carried(grid, w, q) result(change)
    type(model_grid), intent(in) :: grid
    real(dp), intent(in) :: w(:), q(:)
    real(dp) :: change(size(q))
    integer :: k, from

    do k = 1, size(q)
      from = merge(max(k - 1, 1), min(k + 1, size(q)), w(k) > 0)
      change(k) = merge(w(k) * (q(k) - q(from)), w(k) * (q(from) - q(k)), w(k) > 0) / grid%dz
    end do
  end function carried
end module cumulus_forcing
