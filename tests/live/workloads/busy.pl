# SPDX-License-Identifier: GPL-2.0
# An interpreter that recurses in C: expressions, sorting, hashes.
use strict;
use warnings;

sub depth { my $n = shift; return $n ? 1 + depth($n - 1) : 0 }

while (1) {
	my %count;
	my @words = map { "w" . ($_ * 7919 % 1009) } 1 .. 3000;
	$count{$_}++ for @words;
	my $text = join " ", sort { $count{$a} <=> $count{$b} || $a cmp $b } keys %count;
	my $seen = 0;
	$seen += length $1 while $text =~ /(w(?:\d\d)+)\s(?=w)/g;
	$text =~ s/(\d+)/depth($1 % 9)/ge;
	my $out = sprintf "%s %.3f", substr($text, 0, 9), $seen / 7;
}
