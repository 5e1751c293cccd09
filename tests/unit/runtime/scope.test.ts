import {expect, test} from "vitest"
import {Scope} from "../../../server/runtime/flow/scope.ts"

/** A scope with its finished undos and their errors. Each undo may take `limit` milliseconds. */
const makeScope = (limit = 30_000) => {
  const undone: string[] = []
  const failures: string[] = []
  const scope = new Scope(message => failures.push(message), limit)
  const undo = (name: string) => () => undone.push(name)
  return {scope, undo, undone, failures}
}

test("undos run once, in reverse order, each after the previous one has ended", async () => {
  const {scope, undo, undone} = makeScope()
  scope.defer(undo("first"))
  scope.defer(async () => {
    undone.push("second begins")
    await new Promise(resolve => setTimeout(resolve, 5))
    undone.push("second ends")
  })
  scope.defer(undo("third"))
  await Promise.all([scope.dispose(), scope.dispose()])
  await scope.dispose()
  expect(undone).toEqual(["third", "second begins", "second ends", "first"])
})

test("an undo that fails is reported, and the others still run", async () => {
  const {scope, undo, undone, failures} = makeScope()
  scope.defer(undo("first"))
  scope.defer(() => {
    throw new Error("thrown")
  })
  scope.defer(() => Promise.reject(new Error("rejected")))
  scope.defer(undo("last"))
  await scope.dispose()
  expect(undone).toEqual(["last", "first"])
  expect(failures).toEqual(["an undo failed: rejected", "an undo failed: thrown"])
})

test("an undo that exceeds the limit is reported, and the others still run", async () => {
  const {scope, undo, undone, failures} = makeScope(50)
  scope.defer(undo("first"))
  scope.defer(() => new Promise(() => {}))
  await scope.dispose()
  expect(undone).toEqual(["first"])
  expect(failures).toEqual(["an undo failed: timed out after 0.05 s"])
})

test("the signal is aborted before the first undo", async () => {
  const {scope} = makeScope()
  let aborted: boolean | undefined
  scope.defer(() => {
    aborted = scope.signal.aborted
  })
  expect(scope.signal.aborted).toBe(false)
  await scope.dispose()
  expect(aborted).toBe(true)
})

test("resources acquired after the disposal are undone at once", async () => {
  const {scope, undo, undone} = makeScope()
  await scope.dispose()
  scope.defer(undo("late"))
  expect(undone).toEqual(["late"])
})

test("resources acquired by an undo are undone too", async () => {
  const {scope, undo, undone} = makeScope()
  scope.defer(undo("first"))
  scope.defer(() => scope.defer(undo("acquired while undoing")))
  await scope.dispose()
  expect(undone.sort()).toEqual(["acquired while undoing", "first"])
})
