!> Initial states. Every value depends on global indices and coordinates alone, never on the decomposition.
module cumulus_cases
  use cumulus_constants, only: dp, i8, gravity, cp_dry, r_dry, reference_pressure, vapour_buoyancy
  use cumulus_grid, only: model_grid
  use cumulus_hash, only: mix32
  use cumulus_options, only: model_options
  use cumulus_saturation, only: saturation_humidity
  use cumulus_state, only: base_state, model_state, allocate_base, allocate_state, cell_centres, cell_faces
  implicit none
  private
  public :: make_base, start_case

  real(dp), parameter :: mixed_layer_top = 500      !< m
  real(dp), parameter :: inversion = 3200           !< height where the stable layer begins, m
  real(dp), parameter :: stratus_top = 800          !< height of the inversion above a stratus, m
  real(dp), parameter :: sponge_depth = 0.2_dp      !< part of the height of the domain
  real(dp), parameter :: sponge_rate = 0.02_dp      !< strongest damping, s-1

  type :: bubble
    real(dp) :: x, y          !< centre, as a fraction of the domain
    real(dp) :: z             !< height of the centre, m
    real(dp) :: radius        !< horizontal radius, m
    real(dp) :: warmth        !< excess of potential temperature in the centre, K
  end type bubble

  real(dp), parameter :: bubble_depth = 500         !< vertical radius, m
  type(bubble), parameter :: bubbles(5) = [ &
    bubble(0.28_dp, 0.30_dp, 500.0_dp, 1300.0_dp, 1.3_dp), &
    bubble(0.70_dp, 0.22_dp, 450.0_dp, 1000.0_dp, 1.0_dp), &
    bubble(0.50_dp, 0.58_dp, 550.0_dp, 1500.0_dp, 1.5_dp), &
    bubble(0.16_dp, 0.80_dp, 450.0_dp, 900.0_dp, 0.9_dp), &
    bubble(0.82_dp, 0.80_dp, 500.0_dp, 1200.0_dp, 1.2_dp)]

contains

  !> A well-mixed layer below a conditionally unstable one and a stable one, with sheared wind. For a stratus
  !> it is a well-mixed layer below a sharp inversion. Both are in hydrostatic balance with the virtual
  !> potential temperature.
  subroutine make_base(options, grid, base)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(out) :: base
    integer :: k

    call allocate_base(grid%nz, base)
    base%z = cell_centres(0, grid%nz, grid%dz)
    base%z_face = cell_faces(0, grid%nz + 1, grid%dz)
    if (options%case_name == "stratus") then
      base%theta = stratus_theta(base%z)
    else
      base%theta = base_theta(base%z)
    end if
    base%u = -4 + 10 * min(base%z / 4000, 1.0_dp)
    base%v = 2 - 3 * min(base%z / 4000, 1.0_dp)
    call balance(options, grid, base)
    base%rho = base%pressure / (r_dry * base%exner * base%theta * (1 + vapour_buoyancy * base%qv))
    base%rho_face(1) = base%rho(1)
    base%rho_face(grid%nz + 1) = base%rho(grid%nz)
    do k = 2, grid%nz
      base%rho_face(k) = 0.5_dp * (base%rho(k - 1) + base%rho(k))
    end do
    base%damping = sponge(base%z, grid%nz * grid%dz)
    base%damping_face = sponge(base%z_face, grid%nz * grid%dz)
  end subroutine make_base

  !> Potential temperature, K. Its lapse rate in the unstable layer lies between those of dry and moist
  !> ascent.
  elemental real(dp) function base_theta(z)
    real(dp), intent(in) :: z

    base_theta = 298 + 0.0034_dp * max(0.0_dp, min(z, inversion) - mixed_layer_top) &
                 + 0.009_dp * max(0.0_dp, z - inversion)
  end function base_theta

  !> Potential temperature, K, of a cool marine layer and the warm air above it.
  elemental real(dp) function stratus_theta(z)
    real(dp), intent(in) :: z

    stratus_theta = 289 + 9 * max(0.0_dp, min(1.0_dp, (z - stratus_top) / 50)) &
                    + 0.005_dp * max(0.0_dp, z - stratus_top)
  end function stratus_theta

  !> Relative humidity, 1, below and above the inversion. It reaches 1 where the sheet of cloud begins.
  elemental real(dp) function stratus_humidity(z)
    real(dp), intent(in) :: z

    stratus_humidity = min(1.0_dp, 0.75_dp + 0.25_dp * z / 500)
    if (z > stratus_top) stratus_humidity = 0.3_dp
  end function stratus_humidity

  !> Relative humidity, 1. It rises through the mixed layer as in well-mixed vapour.
  elemental real(dp) function base_humidity(z)
    real(dp), intent(in) :: z

    if (z < mixed_layer_top) then
      base_humidity = 0.70_dp + 0.20_dp * z / mixed_layer_top
    else if (z < inversion) then
      base_humidity = 0.90_dp - 0.10_dp * (z - mixed_layer_top) / (inversion - mixed_layer_top)
    else
      base_humidity = max(0.30_dp, 0.80_dp - 0.0006_dp * (z - inversion))
    end if
  end function base_humidity

  !> Integrates the hydrostatic equation d(Exner)/dz = -g / (cp theta_v) upwards from 1015 hPa at the ground,
  !> with the vapour of each level found by iteration.
  subroutine balance(options, grid, base)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(inout) :: base
    real(dp) :: below, theta_v, theta_v_below, humidity
    integer :: k, n

    below = (1.015e5_dp / reference_pressure)**(r_dry / cp_dry)
    theta_v_below = 0
    do k = 1, grid%nz
      humidity = base_humidity(base%z(k))
      if (options%case_name == "stratus") humidity = stratus_humidity(base%z(k))
      base%exner(k) = below
      do n = 1, 10
        base%pressure(k) = reference_pressure * base%exner(k)**(cp_dry / r_dry)
        base%qv(k) = humidity * saturation_humidity(base%exner(k) * base%theta(k), base%pressure(k))
        theta_v = base%theta(k) * (1 + vapour_buoyancy * base%qv(k))
        if (k == 1) then
          base%exner(k) = below - 0.5_dp * grid%dz * gravity / (cp_dry * theta_v)
        else
          base%exner(k) = below - grid%dz * gravity / (cp_dry * 0.5_dp * (theta_v + theta_v_below))
        end if
      end do
      base%pressure(k) = reference_pressure * base%exner(k)**(cp_dry / r_dry)
      below = base%exner(k)
      theta_v_below = theta_v
    end do
  end subroutine balance

  !> Damping (s-1) that grows as a squared sine through the uppermost part of the domain.
  elemental real(dp) function sponge(z, top)
    real(dp), intent(in) :: z, top
    real(dp), parameter :: half_pi = 1.5707963267948966_dp
    real(dp) :: depth

    depth = max(0.0_dp, (z - (1 - sponge_depth) * top) / (sponge_depth * top))
    sponge = sponge_rate * sin(half_pi * depth)**2
  end function sponge

  subroutine start_case(options, grid, base, state)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(out) :: state

    if (options%case_name == "stratus") then
      call start_stratus(options, grid, base, state)
    else
      call start_bubbles(options, grid, base, state)
    end if
  end subroutine start_case

  !> Starts with a sheet of cloud below the inversion, and random perturbations that set it in motion.
  subroutine start_stratus(options, grid, base, state)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(out) :: state
    real(dp), parameter :: full = 0.4e-3_dp / 300   !< growth of cloud water with height, kg kg-1 m-1
    integer :: i, j, k

    call allocate_state(grid, state)
    do i = 1, grid%nx
      do j = 1, grid%ny
        state%u(:, j, i) = base%u
        state%v(:, j, i) = base%v
        state%qv(:, j, i) = base%qv
        where (base%z > 500 .and. base%z < stratus_top) state%ql(:, j, i) = full * (base%z - 500)
        do k = 1, grid%nz
          if (base%z(k) > stratus_top) exit
          state%theta(k, j, i) = 0.4_dp * random(options%seed, grid%x_offset + i, grid%y_offset + j, k)
        end do
      end do
    end do
  end subroutine start_stratus

  !> Starts with warm, moist bubbles in the base state, and random perturbations in the lowest kilometre.
  subroutine start_bubbles(options, grid, base, state)
    type(model_options), intent(in) :: options
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(out) :: state
    real(dp) :: x(grid%nx), y(grid%ny), strength, warmth, noise
    integer :: i, j, k

    call allocate_state(grid, state)
    x = cell_centres(grid%x_offset, grid%nx, grid%dx)
    y = cell_centres(grid%y_offset, grid%ny, grid%dy)
    do i = 1, grid%nx
      do j = 1, grid%ny
        state%u(:, j, i) = base%u
        state%v(:, j, i) = base%v
        do k = 1, grid%nz
          call bubble_at(x(i), y(j), base%z(k), grid, strength, warmth)
          noise = random(options%seed, grid%x_offset + i, grid%y_offset + j, k) &
                  * max(0.0_dp, 1 - base%z(k) / 1000)
          state%theta(k, j, i) = warmth + 0.3_dp * noise
          state%qv(k, j, i) = base%qv(k) * (1 + 0.10_dp * strength + 0.01_dp * noise)
        end do
      end do
    end do
  end subroutine start_bubbles

  !> Strength (0 to 1) and warmth (K) of the bubbles at a point of the periodic domain.
  pure subroutine bubble_at(x, y, z, grid, strength, warmth)
    real(dp), intent(in) :: x, y, z
    type(model_grid), intent(in) :: grid
    real(dp), intent(out) :: strength, warmth
    real(dp), parameter :: half_pi = 1.5707963267948966_dp
    real(dp) :: length_x, length_y, distance, shape
    integer :: b

    length_x = grid%nx_global * grid%dx
    length_y = grid%ny_global * grid%dy
    strength = 0
    warmth = 0
    do b = 1, size(bubbles)
      distance = sqrt((periodic(x - bubbles(b)%x * length_x, length_x) / bubbles(b)%radius)**2 &
                      + (periodic(y - bubbles(b)%y * length_y, length_y) / bubbles(b)%radius)**2 &
                      + ((z - bubbles(b)%z) / bubble_depth)**2)
      if (distance >= 1) cycle
      shape = cos(half_pi * distance)**2
      strength = max(strength, shape)
      warmth = max(warmth, shape * bubbles(b)%warmth)
    end do
  end subroutine bubble_at

  !> The shortest way around a periodic domain, m.
  elemental real(dp) function periodic(distance, length)
    real(dp), intent(in) :: distance, length

    periodic = distance - length * anint(distance / length)
  end function periodic

  !> A number between -1/2 and 1/2 that depends on the seed and the global indices alone.
  pure real(dp) function random(seed, i, j, k)
    integer, intent(in) :: seed, i, j, k
    integer(i8) :: h

    h = mix32(int(seed, i8))
    h = mix32(ieor(h, int(i, i8)))
    h = mix32(ieor(h, int(j, i8)))
    h = mix32(ieor(h, int(k, i8)))
    random = real(h, dp) / 4294967296.0_dp - 0.5_dp
  end function random
end module cumulus_cases
