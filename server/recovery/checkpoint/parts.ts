import {filesRule} from "./files-part.ts"
import {jobsRule} from "./jobs-part.ts"
import type {PartRule} from "./part-rule.ts"
import {workroomRule} from "./workroom-part.ts"

/** The parts outside of the database. */
export const partRules: readonly PartRule[] = [workroomRule, jobsRule, filesRule]
