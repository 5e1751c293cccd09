import {mkdirSync, writeFileSync} from "node:fs"
import {dirname} from "node:path"
import type {Reporter, TestCase, TestModule} from "vitest/node"
import type {Failure} from "./failure.ts"

type Thrown = {readonly message: string; readonly stack?: string | undefined; readonly diff?: string | undefined}

/** Writes the failed tests to the file that SVC_TEST_FAILURES names, for the step that repeats them. */
export default class FailureReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly Thrown[]): void {
    const file = process.env.SVC_TEST_FAILURES
    if (file === undefined) return
    const failures = [
      ...modules.filter(module => module.state() === "failed").flatMap(failuresOf),
      ...errors.map(error => ({file: "", names: [], output: textOfError(error)})),
    ]
    mkdirSync(dirname(file), {recursive: true})
    writeFileSync(file, JSON.stringify(failures, undefined, 1))
  }
}

const failuresOf = (module: TestModule): readonly Failure[] => {
  const file = module.relativeModuleId
  const ofFile = [...module.errors(), ...[...module.children.allSuites()].flatMap(suite => suite.errors())]
  if (ofFile.length > 0) return [{file, names: [], output: ofFile.map(textOfError).join("\n")}]
  return [...module.children.allTests("failed")].map(test => ({
    file,
    names: namesOf(test),
    output: (test.result().errors ?? []).map(textOfError).join("\n"),
  }))
}

const namesOf = (test: TestCase): readonly string[] => {
  const names = [test.name]
  for (let {parent} = test; parent.type === "suite"; parent = parent.parent) names.unshift(parent.name)
  return names
}

const textOfError = ({message, stack, diff}: Thrown): string => [stack ?? message, diff].filter(Boolean).join("\n")
