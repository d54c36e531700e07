!> What the model hands to Pileus with `--sums LIST`: instead of the fields, for each product of fields that
!> the list needs, the sum or the extreme of this rank's columns at each level. Models with diagnostics of
!> their own do so; servers then add the parts of the ranks and average over time. stratus.py --sums makes the
!> configuration.
!>
!> The names are sum_theta_w_centre for theta*w_centre, min_..., max_...; _all at the end means all levels
!> together. A "value" of the list has the name of its field.
module cumulus_local_sums
  use pileus, only: pileus_error, pileus_field, pileus_ok, pileus_put, pileus_run, pileus_wanted
  use cumulus_constants, only: dp
  use cumulus_diagnostics, only: diagnostic_list, is_extreme, quantity, read_list, sum_up
  use cumulus_grid, only: model_grid
  use cumulus_offer, only: offered
  use cumulus_state, only: base_state, model_state
  use cumulus_step, only: maxima
  implicit none
  private
  public :: local_sums, sums_define, sums_put

  integer, parameter :: none = -1  !< stands for the number of a field that is not used

  type :: local_sums
    private
    type(diagnostic_list) :: list
    integer, allocatable :: profiles(:), totals(:)  !< for each quantity, the numbers of its fields
  end type local_sums

contains

  !> Announces the fields. Errors: a message, the same one on all ranks.
  subroutine sums_define(sums, run, list, grid, message)
    type(local_sums), intent(out) :: sums
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: list
    type(model_grid), intent(in) :: grid
    character(:), allocatable, intent(out) :: message
    character(:), allocatable :: name
    character(6) :: level
    integer :: q

    call read_list(list, grid, sums%list, message)
    if (message /= "") return
    allocate (sums%profiles(size(sums%list%quantities)), sums%totals(size(sums%list%quantities)))
    sums%profiles = none
    do q = 1, size(sums%list%quantities)
      associate (a => sums%list%quantities(q))
        name = name_of(sums%list, a)
        level = offered(sums%list%sources(a%factors(1))%field)%dimensions(1)
        if (level /= "") sums%profiles(q) = announced(run, name, [level], [a%last - a%first + 1], message)
        sums%totals(q) = announced(run, name // merge("_all", "    ", level /= ""), [character(6) ::], &
          [integer ::], message)
      end associate
    end do
  end subroutine sums_define

  integer function announced(run, name, dimensions, counts, message)
    type(pileus_run), intent(inout) :: run
    character(*), intent(in) :: name, dimensions(:)
    integer, intent(in) :: counts(:)
    character(:), allocatable, intent(inout) :: message
    integer :: status, d

    if (size(counts) > 0) then
      announced = pileus_field(run, trim(name), dimensions, start=[(1, d = 1, size(counts))], count=counts, &
        status=status)
    else
      announced = pileus_field(run, trim(name), status=status)
    end if
    if (status /= pileus_ok .and. message == "") message = pileus_error(run)
  end function announced

  function name_of(list, a) result(name)
    type(diagnostic_list), intent(in) :: list
    type(quantity), intent(in) :: a
    character(:), allocatable :: name
    integer :: f

    name = merge("sum", a%reduction(:3), .not. is_extreme(a))
    do f = 1, a%factor_count
      name = name // "_" // trim(offered(list%sources(a%factors(f))%field)%name)
    end do
    if (a%reduction == "value") name = name(len("sum_") + 1:)
  end function name_of

  !> Sums up, and hands over the sums that are wanted.
  subroutine sums_put(sums, run, grid, base, state, largest, status)
    type(local_sums), intent(inout) :: sums
    type(pileus_run), intent(inout) :: run
    type(model_grid), intent(in) :: grid
    type(base_state), intent(in) :: base
    type(model_state), intent(in), target :: state
    type(maxima), intent(in) :: largest
    integer, intent(out) :: status
    real(dp), allocatable :: profile(:)
    integer :: q

    call sum_up(sums%list, grid, base, state, largest)
    status = pileus_ok
    do q = 1, size(sums%list%quantities)
      profile = profile_of(sums%list, sums%list%quantities(q))
      if (sums%profiles(q) /= none) call put(sums%profiles(q), profile)
      if (status == pileus_ok .and. pileus_wanted(run, sums%totals(q))) then
        call pileus_put(run, sums%totals(q), total_of(sums%list%quantities(q), profile), status)
      end if
      if (status /= pileus_ok) return
    end do

  contains

    subroutine put(field, values)
      integer, intent(in) :: field
      real(dp), intent(in) :: values(:)

      if (pileus_wanted(run, field)) call pileus_put(run, field, values, status)
    end subroutine put
  end subroutine sums_put

  !> The profile of this rank's columns. A "value" is the same in each of them.
  function profile_of(list, a) result(profile)
    type(diagnostic_list), intent(in) :: list
    type(quantity), intent(in) :: a
    real(dp) :: profile(a%last - a%first + 1)

    select case (a%reduction)
    case ("min"); profile = -list%own_extremes(a%first:a%last)
    case ("max"); profile = list%own_extremes(a%first:a%last)
    case ("value"); profile = list%sources(a%factors(1))%values(1, 1, 1)
    case default; profile = list%own_sums(a%first:a%last)
    end select
  end function profile_of

  real(dp) function total_of(a, profile)
    type(quantity), intent(in) :: a
    real(dp), intent(in) :: profile(:)

    select case (a%reduction)
    case ("min"); total_of = minval(profile)
    case ("max"); total_of = maxval(profile)
    case default; total_of = sum(profile)
    end select
  end function total_of
end module cumulus_local_sums
