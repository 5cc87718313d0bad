/** The gallery, in the order in which a newcomer reads it. */

import { aifsn, hidden, iacp, mesh } from "./air";
import { buffers, cell, codel, pause, rivals } from "./lan";
import type { Page } from "./page";

export const PAGES: Page[] = [pause, buffers, codel, cell, hidden, aifsn, iacp, mesh, rivals];
