import type {Reporter, TestCase, TestModule, TestSuite} from "vitest/node"

/** Reports each part at the end: passed or failed with its tests, or not run and why. */
export default class PartReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap(module => [
      `${module.relativeModuleId} (${(module.diagnostic().duration / 1000).toFixed(1)} s)`,
      ...[...module.children.suites()].map(suite => `  ${describeSuite(suite)}`),
    ])
    process.stdout.write(`\nParts of deployment\n${lines.map(line => `  ${line}\n`).join("")}\n`)
  }
}

const describeSuite = (suite: TestSuite): string => {
  const tests = [...suite.children.allTests()]
  const reason = tests.map(reasonOf).find(each => each !== undefined)
  if (reason !== undefined && tests.every(each => each.result().state === "skipped"))
    return `not run  ${suite.name}: ${reason}`
  const failed = tests.filter(each => each.result().state === "failed").length
  const count = `${tests.length} tests${failed === 0 ? "" : `, ${failed} failed`}`
  return `${suite.state() === "failed" ? "FAILED " : "passed "}  ${suite.name}: ${count}`
}

const reasonOf = (test: TestCase): string | undefined => {
  const result = test.result()
  return result.state === "skipped" ? (result.note ?? "skipped") : undefined
}
