!> A tripolar grid: latitudes and longitudes in the south, and north of 60 degrees north circles through two
!> poles that lie on land. The last row is folded: its cells meet those of the other half. Source: Murray
!> 1996, "Explicit generation of orthogonal grids for ocean models", section 3.
module globe_tripolar
  use globe_constants, only: degree, dp, pi, sea_depth
  use globe_sphere, only: cell_of_corners, grid_cell, vector_of
  implicit none
  private
  public :: tripolar_rows, tripolar_cell, depth_at, basin_at

  real(dp), parameter :: south = -78, cap = 60, pole = -105  ! degrees; `pole`: longitude of one of the two

contains

  !> Rows of a grid with nx cells along the equator: those below the cap, and all.
  pure function tripolar_rows(nx) result(rows)
    integer, intent(in) :: nx
    integer :: rows(2)

    rows(1) = nint((cap - south) * nx / 360)
    rows(2) = rows(1) + nint((90 - cap) * nx / 360)
  end function tripolar_rows

  !> The cell (i, j), from 1.
  pure function tripolar_cell(nx, i, j) result(cell)
    integer, intent(in) :: nx, i, j
    type(grid_cell) :: cell
    real(dp) :: corners(3, 4), x, y

    x = i
    y = j
    corners(:, 1) = place_at(nx, x - 1, y - 1)
    corners(:, 2) = place_at(nx, x, y - 1)
    corners(:, 3) = place_at(nx, x, y)
    corners(:, 4) = place_at(nx, x - 1, y)
    cell = cell_of_corners(place_at(nx, x - 0.5_dp, y - 0.5_dp), corners)
  end function tripolar_cell

  !> Where x cells from the first meridian and y cells from the southern border lead to.
  pure function place_at(nx, x, y) result(place)
    integer, intent(in) :: nx
    real(dp), intent(in) :: x, y
    real(dp) :: place(3), angle, nu, distance
    complex(dp) :: w, z
    integer :: rows(2)

    rows = tripolar_rows(nx)
    angle = 2 * pi * x / nx
    if (y <= rows(1)) then
      place = vector_of(south + (cap - south) * y / rows(1), pole + angle / degree)
      return
    end if
    ! z: the disc of the cap seen from the north, with the poles at 1 and -1. Columns begin at its border.
    nu = 0.5_dp * pi * (rows(2) - y) / (rows(2) - rows(1))
    w = cos(0.5_dp * min(angle, 2 * pi - angle)) * cmplx(cos(nu), sin(nu), dp)
    distance = sin(0.5_dp * min(angle, 2 * pi - angle))
    z = (w - distance) / (w + distance)
    if (angle > pi) z = conjg(z)
    place = vector_of(90 - 2 * atan(abs(z) * tan(0.5_dp * degree * (90 - cap))) / degree, &
                      pole + atan2(z%im, z%re) / degree)
  end function place_at

  !> Depth of the sea in m, 0 on land. There are three continents and an ice sheet in the south. Shallow seas
  !> are deep enough for the uppermost of four levels.
  pure real(dp) function depth_at(latitude, longitude)
    real(dp), intent(in) :: latitude, longitude
    real(dp) :: distance

    distance = min( &
      distance_to(latitude, longitude, west_axis(latitude), 20.0_dp, 10.0_dp, 68.0_dp), &
      distance_to(latitude, longitude, 20.0_dp, 22.0_dp, 18.0_dp, 55.0_dp), &
      distance_to(latitude, longitude, east_axis(latitude), 30 + 0.2_dp * latitude, 17.0_dp, 58.0_dp), &
      (latitude + 70 - 3 * cos(2 * degree * longitude)) / 15)
    depth_at = 0
    if (distance > 0) depth_at = max(200.0_dp, sea_depth * (1 - exp(-4 * distance)))
  end function depth_at

  pure real(dp) function west_axis(latitude)
    real(dp), intent(in) :: latitude

    west_axis = -75 - 0.5_dp * latitude
  end function west_axis

  pure real(dp) function east_axis(latitude)
    real(dp), intent(in) :: latitude

    east_axis = 115 - 0.3_dp * latitude
  end function east_axis

  !> How far a place is outside a continent, in parts of its size; negative on it.
  pure real(dp) function distance_to(latitude, longitude, axis, half_width, middle, half_length)
    real(dp), intent(in) :: latitude, longitude, axis, half_width, middle, half_length
    real(dp) :: x, y

    x = (modulo(longitude - axis + 180, 360.0_dp) - 180) / half_width
    y = (latitude - middle) / half_length
    distance_to = sqrt(x * x + y * y * y * y) - 1
  end function distance_to

  !> The basin of a place: 0 land, 1 Atlantic, 2 Indian, 3 Pacific, 4 Arctic, 5 Southern Ocean.
  pure integer function basin_at(latitude, longitude)
    real(dp), intent(in) :: latitude, longitude

    if (depth_at(latitude, longitude) <= 0) then
      basin_at = 0
    else if (latitude > 66) then
      basin_at = 4
    else if (latitude < -45) then
      basin_at = 5
    else if (modulo(longitude - west_axis(latitude), 360.0_dp) < 20 - west_axis(latitude)) then
      basin_at = 1
    else if (modulo(longitude - 20, 360.0_dp) < east_axis(latitude) - 20) then
      basin_at = 2
    else
      basin_at = 3
    end if
  end function basin_at
end module globe_tripolar
