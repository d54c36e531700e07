!> Finds the known word that a mistyped one was probably meant to be.
module cumulus_suggest
  implicit none
  private
  public :: suggestion

contains

  !> "; did you mean X?" for the nearest of the known words, or nothing if none is near.
  function suggestion(word, known) result(text)
    character(*), intent(in) :: word
    character(*), intent(in) :: known(:)
    character(:), allocatable :: text
    integer :: i, best, distance, nearest

    best = 0
    nearest = len_trim(word) / 2 + 1
    do i = 1, size(known)
      distance = edit_distance(trim(word), trim(known(i)))
      if (distance < nearest) then
        nearest = distance
        best = i
      end if
    end do
    text = ""
    if (best > 0) text = "; did you mean """ // trim(known(best)) // """?"
  end function suggestion

  !> Levenshtein distance: the fewest insertions, deletions and replacements that turn a into b.
  pure function edit_distance(a, b) result(distance)
    character(*), intent(in) :: a, b
    integer :: distance
    integer :: row(0:len(b)), diagonal, above, i, j

    row = [(j, j = 0, len(b))]
    do i = 1, len(a)
      diagonal = row(0)
      row(0) = i
      do j = 1, len(b)
        above = row(j)
        row(j) = min(row(j) + 1, row(j - 1) + 1, diagonal + merge(0, 1, a(i:i) == b(j:j)))
        diagonal = above
      end do
    end do
    distance = row(len(b))
  end function edit_distance
end module cumulus_suggest
