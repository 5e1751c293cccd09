import {mkdirSync, writeFileSync} from "node:fs"
import {dirname, relative} from "node:path"
import type {Reporter, TestCase, TestModule} from "vitest/node"
import type {Failure} from "./failure.ts"

interface Thrown {
  readonly message: string
  readonly stack?: string | undefined
  readonly diff?: string | undefined
  readonly cause?: unknown
}

const onBun = process.versions.bun !== undefined

/** Writes the failed tests to the file that SVC_TEST_FAILURES names, for the step that repeats them. */
export default class FailureReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly Thrown[]): void {
    const file = process.env.SVC_TEST_FAILURES
    if (file === undefined) return
    const failures = [
      ...modules.filter(module => module.state() === "failed").flatMap(failuresOf),
      ...errors.flatMap(error =>
        filesOf(error, modules).map(file => ({file, names: [], output: textOfError(error), onBun})),
      ),
    ]
    mkdirSync(dirname(file), {recursive: true})
    writeFileSync(file, JSON.stringify(failures, undefined, 1))
  }
}

/**
 * Returns the test files that an unhandled error belongs to: the one in which vitest saw it, else those that did not end,
 * because their process died; an empty name if there is neither.
 */
const filesOf = (error: Thrown, modules: readonly TestModule[]): readonly string[] => {
  if ("VITEST_TEST_PATH" in error && typeof error.VITEST_TEST_PATH === "string")
    return [relative(process.cwd(), error.VITEST_TEST_PATH)]
  const unended = modules.filter(module => module.state() === "pending" || module.state() === "queued")
  return unended.length === 0 ? [""] : unended.map(({relativeModuleId}) => relativeModuleId)
}

const failuresOf = (module: TestModule): readonly Failure[] => {
  const file = module.relativeModuleId
  const ofFile = [...module.errors(), ...[...module.children.allSuites()].flatMap(suite => suite.errors())]
  if (ofFile.length > 0) return [{file, names: [], output: ofFile.map(textOfError).join("\n"), onBun}]
  return [...module.children.allTests("failed")].map(test => ({
    file,
    names: namesOf(test),
    output: (test.result().errors ?? []).map(textOfError).join("\n"),
    onBun,
  }))
}

const namesOf = (test: TestCase): readonly string[] => {
  const names = [test.name]
  for (let {parent} = test; parent.type === "suite"; parent = parent.parent) names.unshift(parent.name)
  return names
}

const textOfError = ({message, stack, diff, cause}: Thrown): string =>
  [stack ?? message, diff, cause instanceof Error ? `caused by: ${cause.message}` : ""].filter(Boolean).join("\n")
