# SPDX-License-Identifier: GPL-2.0
# The module for the lab's kernels: build/KERNEL/gapp.ko.

LAB_KERNELS := 5.10 6.1 6.12 newest rt rt-6.1 arm64 debug kcsan irqsoff rt-debug bare bare-5.10 bare-newest up ext clang \
	linux-5.15 linux-6.6 linux-6.18

# The kernel that the module was built for changes when there is a newer one of that name.
LAB_STAMPS := $(foreach kernel,$(LAB_KERNELS),build/$(kernel)/kernel build/$(kernel)-faults/kernel)
$(LAB_STAMPS): build/%/kernel: force
	@folder=$$(scripts/lab-kernel get $(*:-faults=)) && mkdir -p $(@D) && \
		{ echo "$$folder" | cmp -s - $@ || echo "$$folder" > $@; }

$(foreach kernel,$(LAB_KERNELS),build/$(kernel)/gapp.ko): build/%/gapp.ko: $(MODULE_SOURCES) build/%/kernel
	@scripts/lab-module $*
	@touch $@

$(foreach kernel,$(LAB_KERNELS),build/$(kernel)-faults/gapp.ko): build/%-faults/gapp.ko: $(MODULE_SOURCES) build/%-faults/kernel
	@scripts/lab-module $* GAPP_FAULTS=1
	@touch $@

.PHONY: lab
lab: $(foreach kernel,$(filter-out 5.10 newest arm64 up ext clang bare-5.10 bare-newest linux-%,$(LAB_KERNELS)),lab-$(kernel)) ## build all that the guests need

.PHONY: $(foreach kernel,$(LAB_KERNELS),lab-$(kernel))
$(foreach kernel,$(LAB_KERNELS),lab-$(kernel)): lab-%: build/%/gapp.ko gapp-read workloads abi-tests
