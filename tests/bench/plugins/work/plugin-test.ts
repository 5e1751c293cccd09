import {definePlugin} from "../../../../shared/sdk/plugin/plugin.ts"

// As authors load it: the built module of `svc-runtime/test`.
const [library = ""] = process.argv.slice(2)
const began = performance.now()
const {plugin} = (await import(library)) as typeof import("../../../../server/testing/testing.ts")
const greeter = definePlugin({
  setup: plugin => plugin.command("hi", () => "hello"),
})

/** The milliseconds of one test, from its start until its bot is closed. */
const testOnce = async (): Promise<number> => {
  const begun = performance.now()
  await plugin.test(greeter, async bot => {
    const [answer] = await bot.say("/hi")
    if (answer !== "hello") throw new Error(`the bot said ${answer}`)
  })
  return performance.now() - begun
}

await testOnce()
const first = [performance.now() - began]
const next: number[] = []
for (let round = 0; round < 10; round++) next.push(await testOnce())
process.stdout.write(JSON.stringify({first, next}))
