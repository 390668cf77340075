"""What type checkers accept, in strict mode. It is not run."""

from datetime import date, datetime, timezone
from typing import Iterator, List, Optional

from taskboard import AsyncClient, Client, ConflictError, RealtimeError, RealtimeTimings, TaskboardApiError, TaskContext
from taskboard.wire import ClaimedTask, CreatedTask, ListedTask, RealtimeMessage, TaskDetail

client = Client("http://127.0.0.1:3000", key="tb_secret")
created: CreatedTask = client.tasks.create(title="x", deadline=datetime.now(timezone.utc), tags=["a"])
read: TaskDetail = client.tasks.get(task_id=created["id"])
listed: Iterator[ListedTask] = client.tasks.list_all(tag="a", column="todo", retry_policy=None)
titles: List[str] = [task["title"] for task in listed]
client.tasks.update(created["id"], title="y", deadline="2026-11-24T10:00:00Z")
client.analytics.tasks(from_=date(2026, 11, 1))
client.account.mfa.confirm(mfa_code="123456")
client.board.add(title="x")


def run(task: ClaimedTask, context: TaskContext) -> str:
    context.client.tasks.comment(task["id"], body=f"{context.agent['name']}: attempt {context.claim.attempt}")
    context.usage(model="m", input_tokens=1, output_tokens=2, cost_usd=0.01)
    context.delegate([{"title": "x", "priority": "high"}], wait=True)[0]["title"]
    answer = context.claim.answer or context.ask("Which?")
    return task["title"] + answer["body"]


try:
    client.worker("agent_1", run, concurrency=2, lease=30).wait()
except ConflictError as error:
    print(error.field)
except TaskboardApiError as error:
    print(error.code)


def title_of(message: RealtimeMessage) -> str:
    if message["type"] == "task.created":
        return message["data"]["title"]
    if message["type"] == "gap":
        return f"{message['from']} to {message['to']}"
    return message["channel"]


with Client("http://127.0.0.1:3000", realtime=RealtimeTimings(ping=10)) as following:
    try:
        for each in following.realtime.subscribe("tasks", since={"tasks": {"ws_1": 7}}):
            print(title_of(each))
    except RealtimeError as error:
        print(error.close_code, error.channel)


def note(state: str, reason: Optional[Exception]) -> None:
    print(state, reason)


async def main() -> List[str]:
    async with AsyncClient("http://127.0.0.1:3000", login=("ada@acme.example", "secret")) as awaited:
        made: CreatedTask = await awaited.tasks.create(title="x", deadline=datetime.now(timezone.utc))
        await awaited.account.mfa.confirm(mfa_code="123456")
        async for message in awaited.realtime.subscribe(["tasks"], on_state=note):
            print(title_of(message))
        return [made["title"], *[task["title"] async for task in awaited.tasks.list_all(column="todo")]]
