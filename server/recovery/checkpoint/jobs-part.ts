import {readFile, writeFile} from "node:fs/promises"
import {join} from "node:path"
import {isMissing, writeNewFile} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {parseJobFile, restampJobFile} from "../../scheduler/job-file/job-file.ts"
import {settlingRestoredJobs} from "../../scheduler/run-rows.ts"
import type {PartRule} from "./part-rule.ts"
import type {Participant} from "./participant.ts"

const name = "jobs"

const file = "schedule-jobs.json"

const read = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The job file, as it is at the marker. One that is not valid makes no checkpoint. */
export const jobsParticipant = ({jobs}: ProjectPaths): Participant => ({
  name,
  // The file is replaced in one step, and a Host starts on a file that is ahead of its database.
  hold: async () => () => {},
  mark: async folder => {
    const bytes = await read(jobs)
    if (bytes === undefined) return null
    const content = parseJobFile(file, bytes)
    await writeNewFile(join(folder, file), bytes)
    return {sha256: content.sha256, jobs: content.jobs.length}
  },
  complete: async () => [],
})

export const jobsRule: PartRule = {
  name,
  placeOf: (path, {jobs}) => (path === file ? jobs : undefined),
  places: ({jobs}) => [jobs],
  check: async ({mark, authority, path}) => {
    const place = path(file)
    const said = typeof mark === "object" && mark !== null && "sha256" in mark ? mark.sha256 : undefined
    if (place === undefined) return said === undefined ? [] : [`${file} is not in it`]
    const content = parseJobFile(file, await readFile(place))
    const findings = content.sha256 === said ? [] : [`${file} is not that of the marker`]
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
