import type {Page} from "playwright-core"
import {expect, test} from "vitest"
import {pages} from "../../../server/console/web/pages.ts"
import {de} from "../../../server/console/web/texts/de.ts"
import {en} from "../../../server/console/web/texts/en.ts"
import {es} from "../../../server/console/web/texts/es.ts"
import {zh} from "../../../server/console/web/texts/zh.ts"
import {pluginWith, startHost, until} from "../../support/host/host.ts"
import {describeWithChromium, startChromium} from "../../support/machine/chromium.ts"
import {expectNoBarriers, expectNoSidewaysScroll, goTo, live, openConsole} from "./console.ts"

const token = "the-token-of-a-console-that-speaks"
const env = {HTTP_TOKEN: token}
const config = `http: {port: 0, token: "\${HTTP_TOKEN}"}\nplugins: {sandbox: {}, workroom: {}, greeter: {}}\n`

const greeter = pluginWith(`
    plugin.on("message-created", {name: "answer"}, async session => {
      await session.send("heard " + session.text)
    })`)

const arabic = "مرحبا! متى يبدأ الاجتماع؟"
const hebrew = "תודה רבה"

const spoken = (page: Page) => page.evaluate(() => document.documentElement.lang)

/** Returns the texts of a page that a user sees or hears. */
const readPage = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) found.push(node.textContent ?? "")
    for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]"))
      for (const name of ["aria-label", "placeholder", "title"]) found.push(element.getAttribute(name) ?? "")
    return [...found, document.title].map(text => text.trim()).filter(text => text !== "")
  })

const stringsOf = (table: object, path = ""): [place: string, text: string][] =>
  Object.entries(table).flatMap(([key, part]: [string, unknown]) => {
    if (typeof part === "string") return [[`${path}.${key}`, part] as [string, string]]
    return typeof part === "object" && part !== null ? stringsOf(part, `${path}.${key}`) : []
  })

/** Returns the English texts that a language translates, except lower-case single words, which may be names. */
const englishFor = (table: object): ReadonlySet<string> => {
  const own = new Map(stringsOf(table))
  const said = new Set(own.values())
  const differing = stringsOf(en).filter(([place, text]) => own.get(place) !== text && !said.has(text))
  return new Set(differing.map(([, text]) => text).filter(text => /^[A-Z]|\s/.test(text)))
}

describeWithChromium("the languages of the console", () => {
  test("the console starts in the browser's language; another choice keeps the page open and persists", async () => {
    const host = await startHost({own: true, config, env, plugins: {greeter}})
    await host.say(arabic)
    const {page} = await openConsole(await startChromium(), host, {locale: "de-AT", direct: true})
    await page.getByRole("heading", {name: de.signIn?.title ?? "", exact: true}).waitFor()
    expect(await spoken(page)).toBe("de")
    await expectNoBarriers(page, "the sign-in page in German")
    await page.getByLabel(de.language ?? "").selectOption({label: "Español"})
    await page.getByRole("heading", {name: es.signIn?.title ?? "", exact: true}).waitFor()
    expect(await spoken(page)).toBe("es")
    await page.locator("input[name=token]").fill(token)
    await page.getByRole("button", {name: es.signIn?.submit ?? "", exact: true}).click()
    await live(page)

    await goTo(page, "inbox/1")
    await page.getByText(es.messages?.satori ?? "", {exact: true}).click()
    await page.locator("details[open]").waitFor()
    const address = page.url()
    await page.getByLabel(es.language ?? "").selectOption({label: "中文"})
    await page.getByText(zh.messages?.satori ?? "", {exact: true}).waitFor()
    expect([await spoken(page), page.url(), await page.locator("details[open]").count()]).toEqual(["zh", address, 1])
    expect(await page.getByLabel(zh.language ?? "").inputValue()).toBe("zh")

    await page.reload()
    await live(page)
    await page.getByText(zh.messages?.satori ?? "", {exact: true}).waitFor()
    expect(await spoken(page)).toBe("zh")
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await host.stop("SIGKILL")
    await page.reload()
    await page.getByRole("link", {name: zh.pages?.overview ?? "", exact: true}).waitFor()
    expect(await spoken(page)).toBe("zh")
  })

  test("no page has English text left, people's texts keep their direction, and all fits 360 pixels", async () => {
    const host = await startHost({config, env, plugins: {greeter}})
    await host.say(arabic)
    await host.say(hebrew)
    const {page} = await openConsole(await startChromium(), host, {
      token,
      locale: "de",
      viewport: {width: 360, height: 800},
    })
    const languageChoice = page.locator("select:has(option[lang=zh])")
    await languageChoice.selectOption("en")
    expect((await readPage(page)).filter(text => englishFor(de).has(text)).length).toBeGreaterThan(20)
    const left: string[] = []
    for (const [language, table] of Object.entries({de, zh, es})) {
      await languageChoice.selectOption(language)
      await until(`${language} to be spoken`, async () => (await spoken(page)) === language)
      const english = englishFor(table)
      for (const at of [...pages.map(({path}) => path), "inbox/1", "jobs?do=add"]) {
        await goTo(page, at)
        await page.locator("h1").waitFor()
        await until(`${at} to be loaded`, async () => (await page.locator("[aria-busy=true]").count()) === 0)
        const found = await readPage(page)
        left.push(...found.filter(text => english.has(text)).map(text => `${language} ${at}: ${text}`))
        await expectNoSidewaysScroll(page, `${at} in ${language}`)
        if (at === "" || at === "inbox/1") await expectNoBarriers(page, `${at} in ${language}`)
      }
    }
    expect(left).toEqual([])

    await goTo(page, "inbox/1")
    const directionOf = (place: string, text: string) =>
      page.locator(`${place} [dir=auto]`, {hasText: text}).evaluate(element => getComputedStyle(element).direction)
    expect([
      await directionOf("blockquote", arabic),
      await directionOf('[data-seq="1"]', arabic),
      await directionOf('[data-seq="2"]', hebrew),
    ]).toEqual(["rtl", "rtl", "rtl"])
    expect(await page.locator("main").evaluate(element => getComputedStyle(element).direction)).toBe("ltr")
  })
})
