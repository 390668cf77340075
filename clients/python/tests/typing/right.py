"""What type checkers accept, in strict mode. It is not run."""

from datetime import date, datetime, timezone
from typing import Iterator, List

from taskboard import Client, ConflictError, TaskboardApiError, TaskContext
from taskboard.wire import ClaimedTask, CreatedTask, ListedTask, TaskDetail

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
    return task["title"]


try:
    client.worker("agent_1", run, concurrency=2, lease=30).wait()
except ConflictError as error:
    print(error.field)
except TaskboardApiError as error:
    print(error.code)
