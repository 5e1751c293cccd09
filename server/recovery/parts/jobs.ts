import {readFile, writeFile} from "node:fs/promises"
import {join} from "node:path"
import {isObject} from "../../../shared/json.ts"
import {ifThere, writeNewFile} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {parseJobFile, restampJobFile} from "../../scheduler/job-file/job-file.ts"
import {settlingRestoredJobs} from "../../scheduler/run-rows.ts"
import type {Participant} from "../checkpoint/participant.ts"
import type {PartRule} from "./rule.ts"

const name = "jobs"

const file = "schedule-jobs.json"

/** The job file at the moment of the marker. An invalid job file prevents the checkpoint. */
export const jobsParticipant = ({jobs}: ProjectPaths): Participant => ({
  name,
  // The file is replaced atomically, and a Host can start with a file that is newer than its database.
  mark: async folder => {
    const bytes = await ifThere(readFile(jobs))
    if (bytes === undefined) return null
    const content = parseJobFile(file, bytes)
    await writeNewFile(join(folder, file), bytes)
    return {sha256: content.sha256, jobs: content.jobs.length}
  },
})

export const jobsRule: PartRule = {
  name,
  placeOf: (path, {jobs}) => (path === file ? jobs : undefined),
  places: ({jobs}) => [jobs],
  check: async ({mark, authority, path}) => {
    const place = path(file)
    const said = isObject(mark) ? mark.sha256 : undefined
    if (place === undefined) return said === undefined ? [] : [`${file} is missing`]
    const content = parseJobFile(file, await readFile(place))
    const findings = content.sha256 === said ? [] : [`${file} differs from the marker`]
    const isForeign = content.authority !== undefined && content.authority !== authority
    return isForeign ? [...findings, `${file} has the authority ${content.authority}, not ${authority}`] : findings
  },
  adopt: async ({path, database}, {authority, at}) => {
    const place = path(file)
    if (place !== undefined)
      await writeFile(place, restampJobFile(file, await readFile(place, "utf8"), authority), {flush: true})
    await database?.write(settlingRestoredJobs(at))
  },
}
