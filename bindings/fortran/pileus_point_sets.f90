!> Says which points of the domain a rank holds, in the order of its own memory. A part of module pileus.
module pileus_point_sets
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_ptr
  use pileus_c
  use pileus_handle
  implicit none
  private

  public :: pileus_points

  !> Registers points, which this rank holds in blocks, in an order of its own, or with holes. Fields lie on
  !> them that have `name` among their dimensions, once for each dimension of `indices`, with its extents as
  !> counts: "cells, level, cells" for arrays of (nproma, levels, blocks). They are put as they lie.
  !> `dimensions`: those over which the points are numbered, fastest first; names as pileus_field takes them.
  !> `indices`: the index of the point for each element of this rank's arrays along the points, from 1: over x
  !> and y of nx points the point (i, j) has the index i + nx * (j - 1). It is 0 or less where there is no
  !> point: in a halo, on land, at the end of the last block. An array of 32 or 64 bits of any rank but 0.
  !> `shared`: whether several ranks may hold a point, of which the value of the lowest rank counts.
  !> Name, dimensions and `shared` are the same on every rank. Registered before the fields on the points.
  interface pileus_points
    module procedure points, listed_points
  end interface

  interface
    !> Gives the rank, the extents, and into `indices` all of them, from 0. The rank is 0 if it is no array of
    !> integers.
    integer(c_int) function get_indices(array, count, indices) bind(c, name="pileus_fortran_get_indices")
      import :: c_int, c_int64_t
      type(*), dimension(..), intent(in) :: array
      integer(c_int64_t), intent(inout) :: count(*)
      integer(c_int64_t), intent(inout), optional :: indices(*)
    end function get_indices
  end interface

  integer(c_int), parameter :: shared_points = 1  !< is PILEUS_SHARED_POINTS

contains

  subroutine points(run, name, dimensions, indices, shared, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name
    character(*), intent(in) :: dimensions(:)
    type(*), dimension(..), intent(in) :: indices
    logical, intent(in), optional :: shared
    integer(c_int), intent(out), optional :: status
    character(c_char), allocatable, target :: names(:, :)
    type(c_ptr), allocatable :: name_pointers(:)
    integer(c_int64_t) :: count(15)
    integer(c_int64_t), allocatable :: indices_c(:)
    integer(c_int) :: flags, local_rank, result

    local_rank = get_indices(indices, count)
    if (local_rank == 0) then
      call complain(run, "pileus_points: the indices of points """ // trim(name) // &
        """ are no array of integers of 32 or 64 bits", status)
      return
    end if
    allocate (indices_c(max(1_c_int64_t, product(count(:local_rank)))))
    local_rank = get_indices(indices, count, indices_c)
    flags = 0
    if (present(shared)) flags = merge(shared_points, 0, shared)
    call make_c_texts(dimensions, names, name_pointers)
    result = points_c(run%handle, c_text(name), int(size(dimensions), c_int), name_pointers, &
      local_rank, count, indices_c, flags)
    call conclude(run, result, status)
  end subroutine points

  subroutine listed_points(run, name, dimensions, indices, shared, status)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name, dimensions
    type(*), dimension(..), intent(in) :: indices
    logical, intent(in), optional :: shared
    integer(c_int), intent(out), optional :: status

    call points(run, name, names_of(dimensions), indices, shared, status)
  end subroutine listed_points

end module pileus_point_sets
