import {join} from "node:path"
import {Check} from "typebox/schema"
import {toJson} from "../../shared/json.ts"
import {type Static, Type} from "../../shared/type.ts"
import {readJsonIfExists, writeFileAtomic} from "../runtime/files.ts"
import type {ProjectPaths} from "../runtime/project.ts"

/**
 * How a running Host and the process that tries its next start speak: by files in one folder, which the Host makes and
 * removes. The two may be of different versions of svc.
 */
const schema = "svc.trial/1"

export const TrialRequest = Type.Object({
  schema: Type.Literal(schema),
  /** What the running Host was configured with. */
  address: Type.Object({host: Type.String(), port: Type.Integer()}),
  /** `locationKey` of the database that the Host has open. */
  database: Type.String(),
  workroom: Type.Object({store: Type.Enum(["database", "file"]), records: Type.Integer()}),
  /** The configuration that would run instead of the file's, as long as the file has this hash. */
  pin: Type.Union([
    Type.Null(),
    Type.Object({number: Type.Integer(), config: Type.String(), fileSha256: Type.String()}),
  ]),
  /** A copy of the database is in the folder, to try the migrations on. */
  hasCopy: Type.Boolean(),
})
export type TrialRequest = Static<typeof TrialRequest>

const TrialIssue = Type.Object({
  file: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  path: Type.String(),
  message: Type.String(),
})

/** What the next start would do; secrets are out of it. */
export const TrialResult = Type.Union([
  Type.Object({
    schema: Type.Literal(schema),
    ok: Type.Literal(true),
    /** The schema that this svc brings a database to. */
    newestSchema: Type.Integer(),
    /** What plugins declare of their tables, by plugin; only those that declare something. */
    migrations: Type.Array(Type.Object({plugin: Type.String(), names: Type.Array(Type.String())})),
    /** The start would have the database that the Host has open. */
    isSameDatabase: Type.Boolean(),
    /** Required components that would not be ready, in words. */
    unready: Type.Array(Type.String()),
    /** What a trial cannot try, in words. */
    untried: Type.Array(Type.String()),
  }),
  Type.Object({
    schema: Type.Literal(schema),
    ok: Type.Literal(false),
    code: Type.String(),
    detail: Type.String(),
    hint: Type.String(),
    issues: Type.Array(TrialIssue),
  }),
])
export type TrialResult = Static<typeof TrialResult>

export interface TrialFiles {
  readonly folder: string
  readonly request: string
  readonly result: string
  /** The copy of the database. */
  readonly copy: string
  /** What the process prints. */
  readonly output: string
}

export const trialFiles = (folder: string): TrialFiles => ({
  folder,
  request: join(folder, "request.json"),
  result: join(folder, "result.json"),
  copy: join(folder, "data.sqlite"),
  output: join(folder, "output.log"),
})

/** A project has one trial at a time. */
export const trialFolder = ({temporary}: Pick<ProjectPaths, "temporary">): string => join(temporary, "trial")

export const writeRequest = (files: TrialFiles, request: Omit<TrialRequest, "schema">): Promise<void> =>
  writeFileAtomic(files.request, toJson({schema, ...request}))

/** Throws where there is none. */
export const readRequest = async (files: TrialFiles): Promise<TrialRequest> => {
  const json = await readJsonIfExists(files.request)
  if (Check(TrialRequest, json)) return json
  throw new Error(`${files.request} is no request of a trial`)
}

type WithoutSchema<T> = T extends unknown ? Omit<T, "schema"> : never

export const writeResult = (files: TrialFiles, result: WithoutSchema<TrialResult>): Promise<void> =>
  writeFileAtomic(files.result, toJson({schema, ...result}))

/** Undefined where the process ended without one. */
export const readResult = async (files: TrialFiles): Promise<TrialResult | undefined> => {
  const json = await readJsonIfExists(files.result)
  return Check(TrialResult, json) ? json : undefined
}
