!> The octahedral reduced Gaussian grid: latitudes at the zeros of a Legendre polynomial, 20 points in the
!> rows next to the poles and four more in each row towards the equator. Source: Malardel et al. 2016, ECMWF
!> Newsletter 146.
module globe_gaussian
  use globe_constants, only: degree, dp, pi, radius
  use globe_sphere, only: grid_cell
  implicit none
  private
  public :: gaussian_rows, make_gaussian, gaussian_cell, gaussian_point_at

  !> The rows from north to south. Cells of a row together have the Gaussian weight of its latitude as area.
  type :: gaussian_rows
    real(dp), allocatable :: latitude(:)  !< degrees
    real(dp), allocatable :: border(:)    !< degrees; row j lies between border(j - 1) and border(j)
    real(dp), allocatable :: weight(:)    !< their sum is 2
    integer, allocatable :: first(:)      !< index of the first point of each row, and one more
  end type gaussian_rows

contains

  !> `size`: latitudes between a pole and the equator.
  pure function make_gaussian(size) result(rows)
    integer, intent(in) :: size
    type(gaussian_rows) :: rows
    real(dp) :: below
    integer :: j

    allocate (rows%latitude(2 * size), rows%weight(2 * size), rows%border(0:2 * size))
    allocate (rows%first(2 * size + 1))
    rows%first(1) = 1
    rows%border(0) = 90
    below = 1
    do j = 1, 2 * size
      call find_zero(2 * size, j, rows%latitude(j), rows%weight(j))
      below = below - rows%weight(j)
      rows%border(j) = asin(max(-1.0_dp, min(1.0_dp, below))) / degree
      rows%first(j + 1) = rows%first(j) + 20 + 4 * (min(j, 2 * size + 1 - j) - 1)
    end do
    rows%border(2 * size) = -90
  end function make_gaussian

  !> The j-th zero of the Legendre polynomial of this degree, as a latitude, and its weight: Newton's method.
  pure subroutine find_zero(degrees, j, latitude, weight)
    integer, intent(in) :: degrees, j
    real(dp), intent(out) :: latitude, weight
    real(dp) :: x, value, before, slope, last
    integer :: n, iteration

    x = cos(pi * (j - 0.25_dp) / (degrees + 0.5_dp))
    do iteration = 1, 8
      value = x
      before = 1
      do n = 2, degrees
        last = before
        before = value
        value = ((2 * n - 1) * x * before - (n - 1) * last) / n
      end do
      slope = degrees * (x * value - before) / (x * x - 1)
      x = x - value / slope
    end do
    latitude = asin(x) / degree
    weight = 2 / ((1 - x * x) * slope * slope)
  end subroutine find_zero

  !> The cell of a point by its index, from 1.
  pure function gaussian_cell(rows, point) result(cell)
    type(gaussian_rows), intent(in) :: rows
    integer, intent(in) :: point
    type(grid_cell) :: cell
    real(dp) :: width
    integer :: row

    row = 1
    do while (rows%first(row + 1) <= point)
      row = row + 1
    end do
    width = 360.0_dp / (rows%first(row + 1) - rows%first(row))
    cell%latitude = rows%latitude(row)
    cell%longitude = width * (point - rows%first(row))
    cell%area = radius**2 * rows%weight(row) * width * degree
    cell%corner_longitudes = cell%longitude + 0.5_dp * width * [-1, 1, 1, -1]
    cell%corner_latitudes = [rows%border(row), rows%border(row), rows%border(row - 1), rows%border(row - 1)]
  end function gaussian_cell

  !> The point in whose cell a place lies, in degrees. A border belongs to the cells south and east of it.
  pure integer function gaussian_point_at(rows, latitude, longitude) result(point)
    type(gaussian_rows), intent(in) :: rows
    real(dp), intent(in) :: latitude, longitude
    integer :: row, count

    row = 1
    do while (latitude <= rows%border(row) .and. row < size(rows%latitude))
      row = row + 1
    end do
    count = rows%first(row + 1) - rows%first(row)
    point = rows%first(row) + modulo(floor(longitude * count / 360 + 0.5_dp), count)
  end function gaussian_point_at
end module globe_gaussian
