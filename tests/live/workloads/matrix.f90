! SPDX-License-Identifier: GPL-2.0
! Fortran with vectors: frames that are aligned, and a library that does so too.
program matrix
	implicit none
	real(8) :: a(120, 120), b(120, 120), c(120, 120), total
	integer :: i

	total = 0
	call random_number(a)
	call random_number(b)
	i = 0
	do
		i = i + 1
		c = matmul(a, b) + transpose(a) * i
		total = total + sum(c) + norm2(c) + maxval(c)
		a(1 + mod(i, 120), :) = c(:, 1 + mod(i, 120)) / (1 + maxval(abs(c)))
		if (total > 1d300) print *, total
	end do
end program
