! SPDX-License-Identifier: GPL-2.0
! A module with a function that is contained in another.
module shapes
contains
  real function area(n)
    integer, intent(in) :: n
    area = 0
    call add(n)
  contains
    subroutine add(most)
      integer, intent(in) :: most
      integer :: i
      do i = 1, most
        area = area + sqrt(real(i))
      end do
    end subroutine add
  end function area
end module shapes

program plain
  use shapes
  print *, area(command_argument_count() + 10)
end program plain
