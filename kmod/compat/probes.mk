# SPDX-License-Identifier: GPL-2.0
# Which kernels gapp is built for, and what their headers are asked where the release cannot decide,
# because other releases have it by backport. Read by Kbuild.

gapp-release := $(shell echo $$(($(VERSION) * 1000 + $(PATCHLEVEL))))

ifeq ($(shell test $(gapp-release) -lt 5010 && echo y),y)
$(error gapp needs Linux 5.10 or later, and this is $(VERSION).$(PATCHLEVEL))
endif
ifeq ($(shell test $(gapp-release) -gt 7003 && echo y),y)
$(warning gapp was tested up to Linux 7.3, and this is $(VERSION).$(PATCHLEVEL): see docs/kernels.md)
endif

# What it needs of the configuration, which kbuild does not read for `make clean`.
gapp-lacks := $(strip $(foreach option,64BIT TRACEPOINTS STACKTRACE PROC_FS,$(if $(CONFIG_$(option)),,CONFIG_$(option))))
ifneq ($(CONFIG_MODULES),)
ifneq ($(gapp-lacks),)
$(error gapp needs a kernel with $(gapp-lacks), and this one is without)
endif
endif

# $(call gapp-probe,MACRO,PATTERN,HEADER): -DMACRO if a line of the header fits the pattern, in which
# a dot stands for what make would read: a parenthesis, a comma.
gapp-probe = $(if $(shell grep -s '$(2)' $(srctree)/include/$(3)),-D$(1))

ccflags-y += $(call gapp-probe,GAPP_HAVE_TIMER_DELETE_SYNC,int timer_delete_sync,linux/timer.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_DFL_WQ,extern .*system_dfl_wq;,linux/workqueue.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_SNAPSHOT_ID,ktime_get_snapshot_id,linux/timekeeping.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_EXEC_STATE,task_exec_state_get_dumpable,linux/sched/coredump.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_EXPIRE_NOW,hrtimer. ktime_t now,trace/events/timer.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_SWITCH_STATE,unsigned int prev_state.,trace/events/sched.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_PDE_DATA,void .pde_data,linux/proc_fs.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_VM_FLAGS_MOD,void vm_flags_mod,linux/mm.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_HRTIMER_SETUP,void hrtimer_setup.struct,linux/hrtimer.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_UPROBE_HANDLE,struct uprobe .uprobe_register.struct inode,linux/uprobes.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_UPROBE_WORD,handler..struct uprobe_consumer .self. struct pt_regs .regs. __u64,linux/uprobes.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_GROUP_DEAD,bool group_dead,trace/events/sched.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_CLONE_FLAGS_64,u64 clone_flags,trace/events/task.h)
ccflags-y += $(call gapp-probe,GAPP_HAVE_SCHED_DELAYED,sched_delayed,linux/sched.h)

# $(call gapp-has,MACRO,FILE): -DMACRO if the kernel has the header; sparse knows no __has_include.
gapp-has = $(if $(wildcard $(srctree)/$(2)),-D$(1))

ccflags-y += $(call gapp-has,GAPP_HAVE_HRTIMER_BASES,include/linux/hrtimer_bases.h)
ccflags-y += $(call gapp-has,GAPP_HAVE_EXTABLE_TYPES,arch/x86/include/asm/extable_fixup_types.h)
