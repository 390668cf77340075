import { lazy } from './ui/lazy.js'
import { account, chooseWorkspace, workspace } from './state/api.js'
import { waiting, waitingLabel } from './inbox/waiting.js'
import { Board } from './board/board.js'
import { ConnectionLine } from './board/connection.js'
import { Help, useShortcuts } from './shortcuts.js'
import { isHelpOpen } from './state/dialogs.js'
import { LoginPage } from './login/login-page.js'
import { href, openTaskId, route, type Page } from './state/router.js'
import { ownDecisions } from './state/own-decisions.js'
import { logOut } from './state/session.js'
import { loginKind, phase, start, startFailure } from './state/start.js'
import { text } from './texts/index.js'
import { complain } from './state/notices.js'
import { Notices } from './ui/notices.js'
import { Questions } from './ui/ask.js'
import { Boundary } from './ui/boundary.js'
import { BrandMark, Icon, type IconName } from './ui/icon.js'
import { Failed, Loading } from './ui/states.js'

// Loaded when they are opened.
const TaskPage = lazy(() => import('./task/task-page.js').then((module) => module.TaskPage))
const InboxPage = lazy(() => import('./inbox/inbox-page.js').then((module) => module.InboxPage))
const AgentsPage = lazy(() => import('./agents/agents-page.js').then((module) => module.AgentsPage))
const ChatPage = lazy(() => import('./chat/chat-page.js').then((module) => module.ChatPage))
const AnalyticsPage = lazy(() =>
  import('./analytics/analytics-page.js').then((module) => module.AnalyticsPage),
)
const SettingsPage = lazy(() => import('./settings/settings-page.js').then((module) => module.SettingsPage))

const links: readonly (readonly [Page, IconName])[] = [
  ['board', 'board'],
  ['inbox', 'inbox'],
  ['agents', 'agents'],
  ['chat', 'chat'],
  ['analytics', 'analytics'],
  ['settings', 'settings'],
]

function Navigation() {
  const { page: here } = route.value
  const count = waiting.value
  return (
    <nav class="nav" aria-label={text.nav.main}>
      <a class="brand" href={href('board')} aria-label={text.product}>
        <BrandMark />
        <span>{text.product}</span>
      </a>
      <ul>
        {links.map(([target, icon]) => (
          <li key={target}>
            <a href={href(target)} aria-current={here === target ? 'page' : undefined}>
              <Icon name={icon} />
              <span class="nav-text">{text.nav[target]}</span>
              {target === 'inbox' && count > 0 && (
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
  const { page } = route.value
  const workspaces = account.value?.workspaces ?? []
  return (
    <header class="top">
      <h1>{text.nav[page]}</h1>
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
  // Another workspace is another board: everything below is made anew.
  const key = workspace.value?.id
  switch (route.value.page) {
    case 'board':
      return <Board key={key} />
    case 'inbox':
      return <InboxPage key={key} />
    case 'agents':
      return <AgentsPage key={key} />
    case 'chat':
      return <ChatPage key={key} />
    case 'analytics':
      return <AnalyticsPage key={key} />
    case 'settings':
      return <SettingsPage key={key} />
  }
}

/** The page stays as it is behind a task that is opened from it: its place and its focus are there when the task is closed. */
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
      <main id="content" class={`page page-${route.value.page}`} tabIndex={-1}>
        <Boundary key={route.value.page}>
          <Content />
        </Boundary>
      </main>
      {isHelpOpen.value && <Help />}
    </div>
  )
}

/** The hash is the address of the page, so that the link cannot use it. */
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
      <Notices />
    </>
  )
}
