import {mount} from "svelte"
import App from "./App.svelte"
import {chosenLanguage, speak} from "./language.ts"
import "./style.css"

const show = () => mount(App, {target: document.body})

// Where the texts of a language cannot be loaded, the page is there in English.
const language = chosenLanguage()
if (language === "en") show()
else speak(language).then(show, show)

/** After the first page: the files that are kept for a time without the Host must not delay it. In milliseconds. */
const rest = 1500

// Browsers offer it to secure addresses alone, and refuse it where a certificate is not trusted: the console does without.
if ("serviceWorker" in navigator)
  setTimeout(() => void navigator.serviceWorker.register("./service-worker.js").catch(() => {}), rest)
