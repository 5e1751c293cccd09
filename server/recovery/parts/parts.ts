import {filesRule} from "./files.ts"
import {jobsRule} from "./jobs.ts"
import type {PartRule} from "./rule.ts"
import {workroomRule} from "./workroom.ts"

/** The parts outside of the database. */
export const partRules: readonly PartRule[] = [workroomRule, jobsRule, filesRule]
