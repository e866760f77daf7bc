/* SPDX-License-Identifier: GPL-2.0 */
"use strict";
document.getElementById("text").textContent = JSON.parse(document.getElementById("gapp-details").textContent).text;
