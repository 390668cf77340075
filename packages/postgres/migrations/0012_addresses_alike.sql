-- E-mail addresses are compared in normalization form KC from now on, so that no two users have addresses that look alike. Earlier
-- versions stored them in form C. An address whose new form another user has, or would get, stays as it is: which of the two users is
-- meant is for the host to say. Only a database in UTF-8 can normalize; in any other one addresses are left alone.
do $$
begin
  if getdatabaseencoding() = 'UTF8' then
    update taskboard.account_user as one
    set email = lower(normalize(one.email, nfkc))
    where one.email is not nfkc normalized
      and not exists (
        select from taskboard.account_user as other
        where other.id <> one.id and lower(normalize(other.email, nfkc)) = lower(normalize(one.email, nfkc))
      );
  end if;
end
$$;
