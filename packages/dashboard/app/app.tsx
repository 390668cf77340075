import { computed } from '@preact/signals'
import type { ComponentType } from 'preact'
import { ConnectionLine } from './board/connection.js'
import { waiting, waitingLabel } from './inbox/waiting.js'
import { LoginPage } from './login/login-page.js'
import { offeredPages } from './offered-pages.js'
import { pages } from './pages.js'
import { Help, useShortcuts } from './shortcuts.js'
import { account, chooseWorkspace, workspace } from './state/api.js'
import { isHelpOpen } from './state/dialogs.js'
import { complain } from './state/notices.js'
import { ownDecisions } from './state/own-decisions.js'
import { href, openTaskId, route, type Page } from './state/router.js'
import { logOut } from './state/session.js'
import { loginKind, phase, start, startFailure } from './state/start.js'
import { text } from './texts/index.js'
import { Questions } from './ui/ask.js'
import { Boundary } from './ui/boundary.js'
import { BrandMark, Drawing, Icon } from './ui/icon.js'
import { lazy } from './ui/lazy.js'
import { Notices } from './ui/notices.js'
import { StepUp } from './ui/step-up.js'
import { Failed, Loading } from './ui/states.js'

const TaskPage = lazy(() => import('./task/task-page.js').then((module) => module.TaskPage))
const drawn = Object.fromEntries(
  Object.entries(pages).map(([name, { load }]) => [name, lazy(load)]),
) as Readonly<Record<Page, ComponentType>>

/** The page of the address; the board when there is no such page. */
const shownPage = computed((): Page => {
  const { page } = route.value
  return Object.hasOwn(pages, page) ? (page as Page) : 'board'
})

// It is loaded while the session is found. When that fails, the page says so.
pages[shownPage.peek()].load().catch(() => undefined)

function Navigation() {
  const here = shownPage.value
  const count = waiting.value
  return (
    <nav class="nav" aria-label={text.nav.main}>
      <a class="brand" href={href('board')} aria-label={text.product}>
        <BrandMark />
        <span>{text.product}</span>
      </a>
      <ul>
        {offeredPages.value.map(({ name, title, icon }) => (
          <li key={name}>
            <a href={href(name)} aria-current={here === name ? 'page' : undefined}>
              <Drawing path={icon} />
              <span class="nav-text">{title}</span>
              {name === 'inbox' && count > 0 && (
                <span class="badge">
                  <span aria-hidden="true">{waitingLabel}</span>
                  <span class="visually-hidden">{text.inbox.waiting(waitingLabel.value)}</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function TopBar() {
  const workspaces = account.value?.workspaces ?? []
  return (
    <header class="top">
      <h1>{pages[shownPage.value].title}</h1>
      {workspaces.length > 1 ? (
        <label class="workspace">
          <span class="visually-hidden">{text.nav.workspace}</span>
          <select
            value={workspace.value?.id}
            onChange={(event) => chooseWorkspace(event.currentTarget.value)}
          >
            {workspaces.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span class="workspace quiet">{workspace.value?.name}</span>
      )}
      <span class="spacer" />
      <ConnectionLine />
      <button
        type="button"
        class="icon-button"
        aria-label={text.nav.help}
        title={text.nav.help}
        onClick={() => (isHelpOpen.value = true)}
      >
        ?
      </button>
      {loginKind.value === 'taskboard' && (
        <button
          type="button"
          class="icon-button"
          aria-label={text.nav.logOut}
          title={text.nav.logOut}
          onClick={() => void ownDecisions.sendAll().then(logOut).catch(complain)}
        >
          <Icon name="out" />
        </button>
      )}
    </header>
  )
}

function ShownPage() {
  const ThePage = drawn[shownPage.value]
  // Another workspace is another board: everything below is made anew.
  return <ThePage key={workspace.value?.id} />
}

/** The page stays as it is behind a task that is opened from it. Its place and its focus are there when the task is closed. */
function Content() {
  const taskId = openTaskId.value
  return (
    <>
      <ShownPage />
      {taskId !== null && (
        <Boundary key={taskId}>
          <TaskPage id={taskId} />
        </Boundary>
      )}
    </>
  )
}

function Shell() {
  useShortcuts()
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={skip}>
        {text.nav.skip}
      </a>
      <Navigation />
      <TopBar />
      <main id="content" class={`page page-${shownPage.value}`} tabIndex={-1}>
        <Boundary key={shownPage.value}>
          <Content />
        </Boundary>
      </main>
      {isHelpOpen.value && <Help />}
    </div>
  )
}

/** The hash is the address of the page, so that the link can't use it. */
function skip(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#content')?.focus()
}

function Stage() {
  if (phase.value === 'ready') return <Shell />
  if (phase.value === 'login') return <LoginPage />
  if (startFailure.value !== null) {
    return (
      <main class="login">
        <h1>{text.product}</h1>
        <Failed failure={startFailure.value} onRetry={() => void start()} />
      </main>
    )
  }
  return <Loading />
}

/** The application. */
export function App() {
  return (
    <>
      <Stage />
      <Questions />
      <StepUp />
      <Notices />
    </>
  )
}
