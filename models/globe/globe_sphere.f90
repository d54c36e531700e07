!> Places on the unit sphere, and cells between them.
module globe_sphere
  use globe_constants, only: degree, dp, radius
  implicit none
  private
  public :: grid_cell, cell_of_corners, place_within, vector_of, normalised, latitude_of, longitude_of

  integer, parameter, public :: most_corners = 4

  !> A cell, its centre and its corners in degrees, its area in m2. Corners go round counterclockwise.
  type :: grid_cell
    real(dp) :: latitude = 0, longitude = 0, area = 0
    real(dp) :: corner_latitudes(most_corners) = 0, corner_longitudes(most_corners) = 0
  end type grid_cell

contains

  !> The cell between three or four corners, given as unit vectors. The sides are great circles.
  pure function cell_of_corners(centre, corners) result(cell)
    real(dp), intent(in) :: centre(3), corners(:, :)
    type(grid_cell) :: cell
    integer :: n

    cell%latitude = latitude_of(centre)
    cell%longitude = modulo(longitude_of(centre), 360.0_dp)
    cell%area = radius**2 * triangle_area(corners(:, 1), corners(:, 2), corners(:, 3))
    if (size(corners, 2) == 4) cell%area = cell%area + &
      radius**2 * triangle_area(corners(:, 1), corners(:, 3), corners(:, 4))
    do n = 1, size(corners, 2)
      cell%corner_latitudes(n) = latitude_of(corners(:, n))
      cell%corner_longitudes(n) = corner_longitude(corners(:, n), cell%longitude)
    end do
  end function cell_of_corners

  !> Latitude and longitude of a place in a cell of four corners: u and v, from 0 to 1, of the way along the
  !> first side and along the second.
  pure subroutine place_within(cell, u, v, latitude, longitude)
    type(grid_cell), intent(in) :: cell
    real(dp), intent(in) :: u, v
    real(dp), intent(out) :: latitude, longitude
    real(dp) :: there(3)
    integer :: n

    associate (part => [(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v])
      there = 0
      do n = 1, 4
        there = there + part(n) * vector_of(cell%corner_latitudes(n), cell%corner_longitudes(n))
      end do
    end associate
    latitude = latitude_of(there)
    longitude = modulo(longitude_of(there), 360.0_dp)
  end subroutine place_within

  !> A corner at a pole has the longitude of the centre, and others are less than 180 degrees away from it.
  pure real(dp) function corner_longitude(corner, of_centre)
    real(dp), intent(in) :: corner(3), of_centre

    corner_longitude = of_centre
    if (hypot(corner(1), corner(2)) < 1.0e-12_dp) return
    corner_longitude = of_centre + modulo(longitude_of(corner) - of_centre + 180, 360.0_dp) - 180
  end function corner_longitude

  pure real(dp) function latitude_of(place)
    real(dp), intent(in) :: place(3)

    latitude_of = atan2(place(3), hypot(place(1), place(2))) / degree
  end function latitude_of

  pure real(dp) function longitude_of(place)
    real(dp), intent(in) :: place(3)

    longitude_of = atan2(place(2), place(1)) / degree
  end function longitude_of

  !> The unit vector of a latitude and a longitude in degrees.
  pure function vector_of(latitude, longitude) result(place)
    real(dp), intent(in) :: latitude, longitude
    real(dp) :: place(3)

    place = [cos(degree * latitude) * cos(degree * longitude), &
             cos(degree * latitude) * sin(degree * longitude), sin(degree * latitude)]
  end function vector_of

  pure function normalised(vector) result(place)
    real(dp), intent(in) :: vector(3)
    real(dp) :: place(3)

    place = vector / sqrt(dot_product(vector, vector))
  end function normalised

  !> Area of a triangle on the unit sphere. Source: van Oosterom and Strackee 1983, equation 8.
  pure real(dp) function triangle_area(a, b, c)
    real(dp), intent(in) :: a(3), b(3), c(3)
    real(dp) :: volume

    volume = a(1) * (b(2) * c(3) - b(3) * c(2)) + a(2) * (b(3) * c(1) - b(1) * c(3)) + &
      a(3) * (b(1) * c(2) - b(2) * c(1))
    triangle_area = 2 * abs(atan2(volume, 1 + dot_product(a, b) + dot_product(b, c) + dot_product(c, a)))
  end function triangle_area
end module globe_sphere
