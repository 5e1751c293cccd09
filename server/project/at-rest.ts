import {Problem} from "../../shared/problems.ts"
import type {LoadedConfig} from "../config/load.ts"
import {type Database, schemaOf} from "../database/database.ts"
import {readBuild} from "../recovery/build/kept.ts"
import {type CreateOptions, createCheckpoint} from "../recovery/checkpoint/create.ts"
import {cleanScratch} from "../recovery/checkpoint/scratch.ts"
import {CheckpointStore, type ListedCheckpoint} from "../recovery/checkpoint/store.ts"
import {filesParticipant} from "../recovery/parts/files.ts"
import {jobsParticipant} from "../recovery/parts/jobs.ts"
import {stoppedWorkroom, workroomParticipant} from "../recovery/parts/workroom.ts"
import type {SecretValues} from "../recovery/secrets/search.ts"
import {nameSecrets, readNames, valuesOf} from "../recovery/secrets/secrets.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {projectName} from "./settings.ts"

/** A stopped project that this process holds: its database is open and unmigrated, and its parts belong to one history. */
export interface AtRest {
  readonly paths: ProjectPaths
  readonly loaded: LoadedConfig
  readonly database: Database
  /** Undefined before a Host has started in it. */
  readonly authority: string | undefined
  /** The id of the starting Host; null in a command. */
  readonly runtimeId: string | null
}

/** Creates a checkpoint of it. Throws the problems of `createCheckpoint`. */
export const createAtRest = async (project: AtRest, how: CreateOptions): Promise<ListedCheckpoint> => {
  const {paths, database, authority} = project
  if (authority === undefined) throw new Problem("checkpoint_failed", "no Host has started in this project yet")
  const store = new CheckpointStore(paths.checkpoints)
  await store.cleanUp()
  await cleanScratch(paths.temporary)
  const workroom = await stoppedWorkroom(paths)
  const source = {
    ...project,
    authority,
    project: await projectName(paths),
    build: async () => ({build: await readBuild(paths.project), changes: []}),
    schema: schemaOf(database),
    secrets: await secretsAtRest(project),
    participants: [
      ...(workroom === undefined ? [] : [workroomParticipant(paths, workroom)]),
      jobsParticipant(paths),
      filesParticipant(paths, database),
    ],
  }
  return createCheckpoint(store, source, how)
}

/** Resolves to the secrets that no checkpoint may contain. */
export const secretsAtRest = async ({loaded, database}: Pick<AtRest, "loaded" | "database">): Promise<SecretValues> => {
  const {text, variables, secrets} = loaded
  return {...nameSecrets(text, variables, secrets), ...valuesOf(await readNames(database), variables)}
}
