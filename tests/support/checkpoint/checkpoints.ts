import {expect} from "vitest"
import type {CheckpointDetail} from "../../../shared/api/checkpoint.ts"
import {printed, runCommand} from "../host/command-line.ts"
import type {Project} from "../host/project.ts"
import type {TestRuntime} from "../host/runtimes.ts"

export const makeCheckpoint = async (project: Project, runtime?: TestRuntime): Promise<CheckpointDetail> => {
  const detail = JSON.parse(await printed(project, "checkpoint create --json", runtime)) as CheckpointDetail
  expect(detail).toMatchObject({state: "verified", verification: {findings: [], warnings: []}})
  return detail
}

export interface RestoreResult {
  readonly checkpoint: string
  readonly authority: string
  readonly newAuthority: string
  readonly projectFiles: string
  readonly held: {readonly outbox: number; readonly inbox: number; readonly settled: number}
  readonly notes: readonly string[]
  readonly differences: readonly string[]
  readonly mismatches: readonly string[]
  readonly isNew: boolean
  readonly keptConfiguration: string | null
}

export const restore = async (
  project: Project,
  checkpoint: string,
  runtime?: TestRuntime,
  ...options: readonly string[]
): Promise<RestoreResult> =>
  JSON.parse(
    await printed(project, ["checkpoint", "restore", checkpoint, "--json", ...options], runtime),
  ) as RestoreResult

export const refusal = async (project: Project, line: string | readonly string[]): Promise<string> => {
  const {code, stderr} = await runCommand(project, line)
  expect({code, stderr}).toMatchObject({code: 1, stderr: expect.stringContaining("hint: ")})
  return stderr
}
