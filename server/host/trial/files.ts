import {join} from "node:path"
import {Check} from "typebox/schema"
import {Place} from "../../../shared/api/plugin-views.ts"
import {toJson} from "../../../shared/json.ts"
import {type Static, Type} from "../../../shared/type.ts"
import {readJsonIfExists, writeFileAtomic} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

/**
 * The files through which a running Host and the process that tries its next start communicate. The Host creates and deletes
 * their folder. The two may be different versions of svc.
 */
const schema = "svc.trial/1"

export const TrialRequest = Type.Object({
  schema: Type.Literal(schema),
  address: Type.Object({host: Type.String(), port: Type.Integer()}),
  /** `locationKey` of the database that the Host has open. */
  database: Type.String(),
  workroom: Type.Object({store: Type.Enum(["database", "file"]), records: Type.Integer()}),
  /** The pinned configuration, which runs instead of the file while the file has this hash. */
  pin: Type.Union([
    Type.Null(),
    Type.Object({number: Type.Integer(), config: Type.String(), fileSha256: Type.String()}),
  ]),
  /** Whether the folder has a copy of the database, on which to try the migrations. */
  hasCopy: Type.Boolean(),
})
export type TrialRequest = Static<typeof TrialRequest>

const TrialIssue = Type.Object({...Place.properties, path: Type.String(), message: Type.String()})

/** The result of a trial, without secrets. */
export const TrialResult = Type.Union([
  Type.Object({
    schema: Type.Literal(schema),
    ok: Type.Literal(true),
    newestSchema: Type.Integer(),
    /** The migrations of each plugin that declares any. */
    migrations: Type.Array(Type.Object({plugin: Type.String(), names: Type.Array(Type.String())})),
    /** Whether the start would use the database that the Host has open. */
    isSameDatabase: Type.Boolean(),
    /** Messages about required components that would not be ready. */
    unready: Type.Array(Type.String()),
    /** Messages about parts that the trial could not try. */
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

export type TrialFiles = ReturnType<typeof trialFiles>

export const trialFiles = (folder: string) => ({
  folder,
  request: join(folder, "request.json"),
  result: join(folder, "result.json"),
  copy: join(folder, "data.sqlite"),
  output: join(folder, "output.log"),
})

/** Returns the folder of the trial; a project has only one at a time. */
export const trialFolder = ({temporary}: Pick<ProjectPaths, "temporary">): string => join(temporary, "trial")

export const writeRequest = (files: TrialFiles, request: Omit<TrialRequest, "schema">): Promise<void> =>
  writeFileAtomic(files.request, toJson({schema, ...request}))

/** Reads the request. Throws if there is none. */
export const readRequest = async (files: TrialFiles): Promise<TrialRequest> => {
  const json = await readJsonIfExists(files.request)
  if (Check(TrialRequest, json)) return json
  throw new Error(`${files.request} is not the request of a trial`)
}

type WithoutSchema<T> = T extends unknown ? Omit<T, "schema"> : never

export const writeResult = (files: TrialFiles, result: WithoutSchema<TrialResult>): Promise<void> =>
  writeFileAtomic(files.result, toJson({schema, ...result}))

/** Resolves to the result, or to undefined if the process ended without one. */
export const readResult = async (files: TrialFiles): Promise<TrialResult | undefined> => {
  const json = await readJsonIfExists(files.result)
  return Check(TrialResult, json) ? json : undefined
}
