import {basename, dirname, join} from "node:path"
import {isObject, toJson} from "../../../shared/json.ts"
import type {Database} from "../../database/database.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {
  adoptStore,
  adoptTables,
  copyStore,
  examineStore,
  examineTables,
  type StoreFacts,
  type WorkroomMark,
} from "../../workroom/checkpoint.ts"
import {recoverFiles} from "../../workroom/store/file-open.ts"
import {storePaths} from "../../workroom/store/segments.ts"
import type {Participant} from "../checkpoint/participant.ts"
import type {PartRule, StagedPart} from "./rule.ts"

const name = "workroom"

/** The folder in a checkpoint for the workroom's files in `.svc/`. */
const folder = "workroom"

/** In table mode the workroom is in the copy of the database; files are copied up to the last record at the marker. */
export const workroomParticipant = ({state}: ProjectPaths, workroom: {mark(): WorkroomMark}): Participant => {
  let marked: WorkroomMark | undefined
  return {
    name,
    // The copy ends at the mark, and the copied database has no later data either.
    mark: async () => {
      marked = workroom.mark()
      const {catalog: _, ...head} = marked
      return marked.store === "file" ? head : {store: marked.store}
    },
    complete: async target => {
      if (marked?.store === "file") await copyStore(state, join(target, folder), marked)
    },
  }
}

/** Resolves to the workroom files of a stopped project, settled like at a start; undefined if it has none. */
export const stoppedWorkroom = async ({state}: ProjectPaths): Promise<{mark(): WorkroomMark} | undefined> => {
  const catalog = await recoverFiles(storePaths(state))
  if (catalog === undefined) return undefined
  const {origin, authority, head} = catalog
  return {mark: () => ({store: "file", origin, authority, ...head, catalog: catalog.text()})}
}

const catalogName = basename(storePaths(folder).catalog)

const folderOf = ({path}: StagedPart): string | undefined => {
  const catalog = path(`${folder}/${catalogName}`)
  return catalog === undefined ? undefined : dirname(catalog)
}

const isFile = (mark: unknown): mark is Readonly<Record<string, unknown>> => isObject(mark) && mark.store === "file"

const examine = (staged: StagedPart, database: Database | undefined): Promise<StoreFacts | undefined> => {
  const place = folderOf(staged)
  if (isFile(staged.mark)) return place === undefined ? Promise.resolve(undefined) : examineStore(place)
  return database === undefined ? Promise.resolve(undefined) : examineTables(database)
}

const places = ({state}: ProjectPaths): readonly string[] => {
  const {catalog, journal} = storePaths(state)
  return [catalog, journal]
}

export const workroomRule: PartRule = {
  name,
  placeOf: (file, {state}) => (file.startsWith(`${folder}/`) ? join(state, file.slice(folder.length + 1)) : undefined),
  places,
  check: async staged => {
    const {mark, authority, database} = staged
    const facts = await examine(staged, database)
    if (facts === undefined) return isFile(mark) ? ["its files are missing"] : []
    const findings = facts.authority === authority ? [] : [`it has the authority ${facts.authority}, not ${authority}`]
    if (!isFile(mark)) return findings
    const said = toJson({...mark, store: "file"})
    const {origin, authority: own, seq, hash} = facts
    const found = {store: "file", origin, authority: own, seq, hash}
    for (const [key, value] of Object.entries(found))
      if (mark[key] !== value) findings.push(`${key} is ${value}, but the marker has ${said}`)
    return findings
  },
  adopt: async (staged, {authority, at}) => {
    const time = new Date(at).toISOString()
    const place = folderOf(staged)
    if (isFile(staged.mark) && place !== undefined) await adoptStore(place, authority, time)
    else if (staged.database !== undefined) await adoptTables(staged.database, authority, time)
  },
}
