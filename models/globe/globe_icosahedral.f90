!> Triangles on the sphere: each side of an icosahedron is divided into n parts, each face into n*n triangles.
!> They are numbered face by face, and within a face row by row. Their nodes are numbered once each: first the
!> vertices of the icosahedron, then what lies on its sides, then what lies inside its faces.
module globe_icosahedral
  use globe_constants, only: degree, dp
  use globe_sphere, only: cell_of_corners, grid_cell, normalised, vector_of
  implicit none
  private
  public :: icosahedral_cell, icosahedral_nodes, node_count, node_place

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
    integer :: face, rows(3), places(3), i

    call find_corners(n, point, face, rows, places)
    do i = 1, 3
      corners(:, i) = node(n, face, rows(i), places(i))
    end do
    cell = cell_of_corners(normalised(corners(:, 1) + corners(:, 2) + corners(:, 3)), corners)
  end function icosahedral_cell

  !> The numbers of its nodes, counterclockwise from 1 to node_count.
  pure function icosahedral_nodes(n, point) result(nodes)
    integer, intent(in) :: n, point
    integer :: nodes(3), face, rows(3), places(3), i

    call find_corners(n, point, face, rows, places)
    nodes = [(node_number(n, face, rows(i), places(i)), i = 1, 3)]
  end function icosahedral_nodes

  !> The corners of a cell: its face, and their rows and places in these.
  pure subroutine find_corners(n, point, face, rows, places)
    integer, intent(in) :: n, point
    integer, intent(out) :: face, rows(3), places(3)
    integer :: row, m, place

    face = (point - 1) / (n * n) + 1
    place = modulo(point - 1, n * n)  ! row r has the places r**2 to (r + 1)**2 - 1
    row = row_of(place)
    m = (place - row**2) / 2
    if (modulo(place - row**2, 2) == 0) then
      rows = [row, row + 1, row + 1]
      places = [m, m, m + 1]
    else
      rows = [row, row + 1, row]
      places = [m, m + 1, m + 1]
    end if
  end subroutine find_corners

  !> The largest number whose square is not above this one.
  pure integer function row_of(place)
    integer, intent(in) :: place

    row_of = 0
    do while ((row_of + 1)**2 <= place)
      row_of = row_of + 1
    end do
  end function row_of

  pure integer function node_count(n)
    integer, intent(in) :: n

    node_count = 10 * n**2 + 2
  end function node_count

  pure integer function node_number(n, face, row, m)
    integer, intent(in) :: n, face, row, m
    integer :: parts(3), ends(2), number

    parts = [n - row, row - m, m]  ! of the three vertices of the face
    if (maxval(parts) == n) then
      node_number = faces(maxloc(parts, 1), face)
    else if (minval(parts) == 0) then
      ends = pack(faces(:, face), parts > 0)
      number = side_between(ends)
      node_number = 12 + (number - 1) * (n - 1) + sum(pack(parts, faces(:, face) == maxval(ends)))
    else
      node_number = 12 + 30 * (n - 1) + (face - 1) * inside(n) + inside(row) + m
    end if
  end function node_number

  !> How many nodes lie inside the first rows of a face.
  pure integer function inside(rows)
    integer, intent(in) :: rows

    inside = (rows - 1) * (rows - 2) / 2
  end function inside

  !> Where the node with this number lies, as a unit vector.
  pure function node_place(n, number) result(place)
    integer, intent(in) :: n, number
    real(dp) :: place(3)
    integer :: rest, ends(2), face, row

    rest = number - 12 - 30 * (n - 1) - 1
    if (number <= 12) then
      place = vertex(number)
    else if (rest < 0) then
      rest = number - 12 - 1
      ends = ends_of_side(rest / (n - 1) + 1)
      rest = modulo(rest, n - 1) + 1
      place = normalised((n - rest) * vertex(ends(1)) + rest * vertex(ends(2)))
    else
      face = rest / inside(n) + 1
      rest = modulo(rest, inside(n))
      row = 2
      do while (inside(row + 1) <= rest)
        row = row + 1
      end do
      place = node(n, face, row, rest - inside(row) + 1)
    end if
  end function node_place

  !> Two faces share a side and go round it in opposite ways, so one of them has its lower vertex first.
  pure integer function side_between(ends)
    integer, intent(in) :: ends(2)

    do side_between = 1, 30
      if (all(ends_of_side(side_between) == [minval(ends), maxval(ends)])) return
    end do
  end function side_between

  pure function ends_of_side(number) result(ends)
    integer, intent(in) :: number
    integer :: ends(2), found, face, i

    found = 0
    do face = 1, 20
      do i = 1, 3
        ends = [faces(i, face), faces(modulo(i, 3) + 1, face)]
        if (ends(1) < ends(2)) found = found + 1
        if (found == number) return
      end do
    end do
  end function ends_of_side

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
