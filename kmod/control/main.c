// SPDX-License-Identifier: GPL-2.0
/* Loads and unloads the module. */
#include <linux/module.h>
#include <linux/stringify.h>

#include <gapp.h>

#include "dev.h"
#include "switch/probes.h"
#include "procfs.h"

static int __init gapp_init(void)
{
	int ret;

	ret = gapp_probes_find();
	if (ret)
		goto error_probes;
	ret = gapp_procfs_init();
	if (ret)
		goto error_procfs;
	ret = gapp_dev_register();
	if (ret)
		goto error_dev;
	pr_info("version %s, ABI %u.%u\n", GAPP_VERSION, GAPP_ABI_MAJOR, GAPP_ABI_MINOR);
	return 0;

error_dev:
	gapp_procfs_exit();
error_procfs:
error_probes:
	pr_err("version %s not table: error %d\n", GAPP_VERSION, ret);
	return ret;
}

static void __exit gapp_exit(void)
{
	gapp_dev_unregister();
	gapp_procfs_exit();
	pr_info("unloaded\n");
}

module_init(gapp_init);
module_exit(gapp_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Finds the code that most threads of a parallel program wait for");
MODULE_VERSION(GAPP_VERSION);
MODULE_INFO(gapp_abi, __stringify(GAPP_ABI_MAJOR) "." __stringify(GAPP_ABI_MINOR));
