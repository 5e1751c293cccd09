import {expect, test} from "vitest"
import {en} from "../../../../server/console/web/texts/en.ts"
import {pluginWith, shared, startHost, until, usuallyOn} from "../../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../../support/machine/chromium.ts"
import {expectNoBarriers, expectNoSidewaysScroll, openConsole} from "../console.ts"

const env = {
  HTTP_TOKEN: "the-full-token-of-the-console",
  KEY: "a-key-that-nobody-may-see",
  SHOP_KEY: Buffer.alloc(32, 7).toString("base64"),
}

const config = `# The bot of the team
http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
  greeter:
    config:
      greeting: hello # what it says
      key: \${KEY}
      words: [one, two]
  wide:
    config:
      tone: {loud: true}
      limits: {a: 1}
`

const greeter = pluginWith(
  `
    plugin.command("greet", () => config.greeting + " " + config.words.join("+"))`,
  `config: Type.Object({
    greeting: Type.String({minLength: 2, description: "What it says"}),
    key: Type.Secret({description: "Of the service"}),
    times: Type.Optional(Type.Integer({default: 1, maximum: 5})),
    words: Type.Array(Type.String()), place: Type.Optional(Type.Endpoint()),
  })`,
)

const wide = pluginWith(
  "",
  `config: Type.Object({
    tone: Type.Object({loud: Type.Boolean(), mode: Type.Optional(Type.Enum(["calm", "wild"], {default: "calm"}))}),
    limits: Type.Record(Type.String(), Type.Integer()),
  })`,
)

describeWithChromium("changing settings in the console", () => {
  const common = shared(() => startHost({runtime: usuallyOn("node24"), config, env, plugins: {greeter, wide}}))

  test("on a wide page: errors appear at their fields, and a changed file loses no input or comments", async () => {
    const host = common()
    const at = "plugins/greeter"
    const viewport = {width: 1440, height: 900}
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at, viewport})
    await page.getByRole("link", {name: "Change the settings"}).click()
    const form = page.getByRole("form", {name: "Settings of greeter"})
    const greeting = form.getByLabel("greeting (required)")
    expect(await greeting.inputValue()).toBe("hello")
    expect(await form.getByLabel("key (required)").inputValue()).toBe("KEY")
    await form.getByText("KEY is set.").waitFor()
    expect(await page.content()).not.toContain(env.KEY)
    expect(await form.locator('[data-field="place"] option[value="sandbox"]').count()).toBe(1)
    await expectNoBarriers(page, "a form")

    await greeting.fill("x")
    await form.getByLabel("times").fill("9")
    await form.getByRole("button", {name: "Preview"}).click()
    await page.locator('[data-field="greeting"] strong').waitFor()
    await page.locator('[data-field="times"]').getByText(/5/).first().waitFor()
    expect(await page.getByRole("button", {name: "Apply"}).count()).toBe(0)
    await expectNoBarriers(page, "a form with errors")

    await greeting.fill("good day: everybody")
    await form.getByLabel("times").fill("")
    await form.getByLabel("words (required)").fill("one\ntwo\nthree")
    await form.getByRole("button", {name: "Preview"}).click()
    const apply = page.getByRole("button", {name: "Apply", exact: true})
    await apply.waitFor()
    const diff = await page.locator("[data-diff]").textContent()
    expect(diff).toContain('+      greeting: "good day: everybody" # what it says')
    expect(host.project.read("svc.config.yml")).toBe(config)
    await expectNoBarriers(page, "a preview")

    const meanwhile = config.replace("# The bot of the team", "# The bot of the whole team")
    host.project.write("svc.config.yml", meanwhile)
    await apply.click()
    await page.getByText(en.configForm.conflict("svc.config.yml")).waitFor()
    expect(await greeting.inputValue()).toBe("good day: everybody")
    await until("the preview to use the changed file", async () => {
      await form.getByRole("button", {name: "Preview"}).click()
      // A new click would discard the preview that is on its way.
      return apply
        .waitFor({timeout: 5000})
        .then(() => true)
        .catch(() => false)
    })
    await apply.click()
    await page.locator("[data-config-applied]").waitFor()
    expect(host.project.read("svc.config.yml")).toBe(
      meanwhile
        .replace("greeting: hello", 'greeting: "good day: everybody"')
        .replace("[one, two]", "[one, two, three]"),
    )
    expect(await host.say("/greet")).toEqual(["good day: everybody one+two+three"])
  })

  test("on a phone: a plugin and an account are added and removed, and the file is as before", async () => {
    const host = common()
    const before = host.project.read("svc.config.yml")
    const viewport = {width: 360, height: 740}
    const {page} = await openConsole(await startChromium(), host, {token: env.HTTP_TOKEN, at: "plugins", viewport})
    await page.getByRole("link", {name: "Add a plugin"}).click()
    await page.getByLabel("Plugin", {exact: true}).selectOption("webhook")
    await page.getByRole("button", {name: "Preview"}).click()
    await page.getByRole("button", {name: "Apply"}).click()
    const form = page.getByRole("form", {name: "Settings of webhook"})
    await form.getByLabel(en.configForm.newAccount).fill("shop")
    await form.getByRole("button", {name: "Add the account"}).click()
    const account = page.locator('[data-account="shop"]')
    await account.getByLabel("secrets (required)").fill('["${SHOP_KEY}"]')
    await account.getByLabel("url").fill("https://shop.example.org/in")
    await expectNoSidewaysScroll(page, "a form")
    await form.getByRole("button", {name: "Preview"}).click()
    await page.getByRole("button", {name: "Apply", exact: true}).waitFor()
    await expectNoSidewaysScroll(page, "a preview")
    await expectNoBarriers(page, "a preview on a phone")
    await page.getByRole("button", {name: "Apply", exact: true}).click()
    await page.locator("[data-config-applied]").waitFor()
    expect(host.project.read("svc.config.yml")).toBe(
      `${before}  webhook:
    endpoints:
      - id: shop
        secrets:
          - \${SHOP_KEY}
        url: https://shop.example.org/in
`,
    )
    await form.getByRole("button", {name: en.configForm.remove}).click()
    await page.getByRole("button", {name: "Apply", exact: true}).click()
    await until("the file to be as before", () => host.project.read("svc.config.yml") === before)
    await page.getByRole("link", {name: "Add a plugin"}).waitFor()
  })
})
