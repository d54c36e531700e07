!> Triangles on the sphere: each side of an icosahedron is divided into n parts, each face into n*n triangles.
!> They are numbered face by face, and within a face row by row.
module globe_icosahedral
  use globe_constants, only: degree, dp
  use globe_sphere, only: cell_of_corners, grid_cell, normalised, vector_of
  implicit none
  private
  public :: icosahedral_cell

  !> The vertices of each face, counterclockwise. 1 and 12 are the poles, 2 to 6 the northern ring, 7 to 11
  !> the southern one, half a side further east.
  integer, parameter :: faces(3, 20) = reshape([ &
    1, 2, 3, 1, 3, 4, 1, 4, 5, 1, 5, 6, 1, 6, 2, &
    2, 7, 3, 3, 8, 4, 4, 9, 5, 5, 10, 6, 6, 11, 2, &
    7, 8, 3, 8, 9, 4, 9, 10, 5, 10, 11, 6, 11, 7, 2, &
    12, 8, 7, 12, 9, 8, 12, 10, 9, 12, 11, 10, 12, 7, 11], [3, 20])

contains

  !> The cell with this index, from 1 to 20 n**2.
  pure function icosahedral_cell(n, point) result(cell)
    integer, intent(in) :: n, point
    type(grid_cell) :: cell
    real(dp) :: corners(3, 3)
    integer :: face, row, m, place

    face = (point - 1) / (n * n) + 1
    place = modulo(point - 1, n * n)  ! row r has the places r**2 to (r + 1)**2 - 1
    row = 0
    do while ((row + 1)**2 <= place)
      row = row + 1
    end do
    m = (place - row**2) / 2
    corners(:, 1) = node(n, face, row, m)
    if (modulo(place - row**2, 2) == 0) then
      corners(:, 2) = node(n, face, row + 1, m)
      corners(:, 3) = node(n, face, row + 1, m + 1)
    else
      corners(:, 2) = node(n, face, row + 1, m + 1)
      corners(:, 3) = node(n, face, row, m + 1)
    end if
    cell = cell_of_corners(normalised(corners(:, 1) + corners(:, 2) + corners(:, 3)), corners)
  end function icosahedral_cell

  !> The m-th node of a row of a face; row 0 is its first vertex.
  pure function node(n, face, row, m) result(place)
    integer, intent(in) :: n, face, row, m
    real(dp) :: place(3)

    place = normalised((n - row) * vertex(faces(1, face)) + (row - m) * vertex(faces(2, face)) + &
                       m * vertex(faces(3, face)))
  end function node

  pure function vertex(number) result(place)
    integer, intent(in) :: number
    real(dp) :: place(3)
    real(dp), parameter :: ring = 26.56505117707799_dp  ! atan(1/2)

    select case (number)
    case (1); place = [0, 0, 1]
    case (12); place = [0, 0, -1]
    case (2:6); place = vector_of(ring, 72.0_dp * (number - 2))
    case default; place = vector_of(-ring, 72.0_dp * (number - 7) + 36)
    end select
  end function vertex
end module globe_icosahedral
